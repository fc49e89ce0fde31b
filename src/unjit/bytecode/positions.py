"""Where in its source each instruction came from: lines and columns, which the compiler notes from Python 3.11 on."""

from __future__ import annotations

from types import CodeType
from typing import NamedTuple

from unjit.bytecode import versions as v


class Position(NamedTuple):
    """From which line and column to which; columns are counted in bytes, from 0."""

    line: int
    column: int
    end_line: int
    end_column: int


def positions_of(code: CodeType) -> dict[int, Position]:
    """The position of the instruction at each offset, for those that have one; none before 3.11."""
    found: dict[int, Position] = {}
    if v.PY311:
        for unit, (line, end_line, column, end_column) in enumerate(code.co_positions()):  # type: ignore[attr-defined]
            if line is not None and end_line is not None and column is not None and end_column is not None:
                found[2 * unit] = Position(line, column, end_line, end_column)
    return found
