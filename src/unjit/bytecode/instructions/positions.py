"""Where in its source each instruction came from: lines and columns, which the compiler notes from Python 3.11 on."""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from types import CodeType
from typing import NamedTuple

from unjit.bytecode import versions as v


class Position(NamedTuple):
    """From which line and column to which; columns are counted in bytes, from 0."""

    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def width(self) -> int | None:
        """How many bytes it takes of its line; None where it is of several lines."""
        return self.end_column - self.column if self.line == self.end_line else None


class Positions:
    """Those of one code object. Reading them takes as long as a tenth of compiling, and waits until somebody asks."""

    def __init__(self, code: CodeType) -> None:
        self._code = code

    @functools.cached_property
    def _units(self) -> list[tuple[int | None, int | None, int | None, int | None]]:
        return list(self._code.co_positions()) if v.PY311 else []  # type: ignore[attr-defined]

    def at(self, offset: int) -> Position | None:
        """The place of the instruction at an offset, if it has one; none has before 3.11."""
        unit = offset // 2
        if unit >= len(self._units):
            return None
        line, end_line, column, end_column = self._units[unit]
        if line is None or end_line is None or column is None or end_column is None:
            return None
        return Position(line, column, end_line, end_column)

    def all(self) -> Iterator[Position]:
        """Those of all instructions that have one, in their order."""
        found = (self.at(2 * k) for k in range(len(self._units)))
        return (position for position in found if position is not None)

    def first_on_line(self, line: int) -> int | None:
        """The offset of the first instruction that begins on a line, if one does."""
        return next(iter(self._by_line.get(line, ())), None)

    def on_line(self, line: int) -> Iterator[Position]:
        """All that begin on a line."""
        found = map(self.at, self._by_line.get(line, ()))
        return (position for position in found if position is not None)

    def lines_below(self, line: int) -> Iterator[int]:
        """The lines below a line that instructions begin on, in order."""
        return (self._lines[k] for k in range(bisect_right(self._lines, line), len(self._lines)))

    @functools.cached_property
    def _by_line(self) -> dict[int | None, list[int]]:
        """The offsets of the instructions that begin on each line."""
        found: defaultdict[int | None, list[int]] = defaultdict(list)
        for k, unit in enumerate(self._units):
            found[unit[0]].append(2 * k)
        return found

    @functools.cached_property
    def _lines(self) -> list[int]:
        return sorted(line for line in self._by_line if line is not None)
