"""Ranks of many functions are compared in a time that grows with them, not with their square."""

from __future__ import annotations

import time

from unjit.model import FilePath, Name, Place, UserSource
from unjit.ranks.comparing import Comparison
from unjit.ranks.reading import ReadCompile, ReadRank
from unjit.ranks.texts import Texts


def seconds(functions, ranks=4):
    read = [ReadRank(number, f"rank_{number}", finished=True) for number in range(ranks)]
    for rank in read:
        for line in range(functions):
            name = f"of_line_{line}_"
            rank.places[name] = Place(FilePath("program.py"), line, Name(name), UserSource(""))
            rank.compiles.append(ReadCompile(name, 0, f"functions/{name}/compile_0", {}, None))
    began = time.process_time()
    assert not list(Comparison(read, Texts()).differences())
    return time.process_time() - began


def test_eight_times_the_functions_take_no_forty_times_the_time():
    few = min(seconds(250) for _ in range(3))
    assert seconds(2000) < 40 * few  # 64 times as long, if each was compared with all
