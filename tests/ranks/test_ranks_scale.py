"""Ranks of many functions are compared in work that grows with them, not with their square."""

from __future__ import annotations

from traced import instructions_of
from unjit.model import FilePath, Name, Place, UserSource
from unjit.ranks.comparing import Comparison
from unjit.ranks.reading import ReadCompile, ReadRank
from unjit.ranks.texts import Texts


def comparing(functions, ranks=3):
    """A call that compares ranks with so many functions, which do not differ."""
    read = [ReadRank(number, f"rank_{number}", finished=True) for number in range(ranks)]
    for rank in read:
        for line in range(functions):
            name = f"of_line_{line}_"
            rank.places[name] = Place(FilePath("program.py"), line, Name(name), UserSource(""))
            rank.compiles.append(ReadCompile(name, 0, f"functions/{name}/compile_0", {}, None))

    def compare():
        assert list(Comparison(read, Texts()).differences()) == []

    return compare


def test_eight_times_the_functions_take_some_eight_times_the_work():
    few, many = (instructions_of(comparing(functions)) for functions in (20, 160))
    assert many < 10 * few  # 64 times as much, if each was compared with all
