"""The form of `runs.txt`: which compile's code ran, run by run, in lines of one width.

The first line says whether one thread ran compiled code or more. A line for each run follows: its number, from 0, and
the number of the compile in the order in which compiles began. The file holds the last runs, in a ring. After the ring
there is a line for each compile of which runs gave way: how many, and the number of the compile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

KEPT: Final = 50_000  # runs
COUNTED: Final = 10_000  # compiles whose dropped runs are counted
OTHER: Final = 9_999_999  # code that no compile of this capture made
WIDTH: Final = 20


@dataclass(frozen=True)
class Runs:
    """What `runs.txt` tells."""

    threads: int  # 2: two or more
    first: int  # the number of the first run that is kept
    kept: tuple[int, ...]  # the compiles whose code ran, oldest run first
    before: Mapping[int, int]  # how many runs of each compile gave way

    @property
    def total(self) -> int:
        """How many runs there were."""
        return self.first + len(self.kept)


def head(threads: int) -> bytes:
    """The first line."""
    return b"threads %11d\n" % threads


def line(count: int, compile_: int) -> bytes:
    """The number of a run, or a count, and the compile's."""
    return b"%11d %7d\n" % (count, compile_)


def line_at(index: int) -> int:
    """Where a line of the ring begins."""
    return WIDTH * (1 + index)


def count_at(compile_: int, kept: int) -> int:
    """Where the count of a compile begins."""
    return line_at(kept + compile_)


def read(data: bytes, kept: int = KEPT) -> Runs:
    """The runs in a file; ValueError if it is none."""
    ring, counts = data[WIDTH : line_at(kept)], data[line_at(kept) :].replace(b"\0", b"")
    found = sorted(_pairs(ring))
    if [number for number, _ in found] != list(range(found[0][0] if found else 0, found[-1][0] + 1 if found else 0)):
        raise ValueError("runs are missing")
    return Runs(
        threads=int(data[:WIDTH].removeprefix(b"threads")),
        first=found[0][0] if found else 0,
        kept=tuple(compile_ for _, compile_ in found),
        before={compile_: count for count, compile_ in _pairs(counts)},
    )


def _pairs(data: bytes) -> list[tuple[int, int]]:
    numbers = list(map(int, data.split()))
    return list(zip(numbers[::2], numbers[1::2], strict=True))
