"""Code that says it comes from elsewhere: the same instructions under another file name and line table.

Formats: CPython's Objects/lnotab_notes.txt (3.10) and Objects/locations.md (3.11 and later).
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from itertools import groupby
from types import CodeType

from unjit.bytecode import versions as v

_relocated: dict[int, tuple[weakref.ref[CodeType], CodeType]] = {}  # by identity, with the code that it was made from

_Run = tuple[int, "int | None"]  # how many code units in a row lie on which line

_NO_LOCATION = 15  # kinds of entries in the location table
_LINE_ONLY = 13
_MOST_UNITS = 8  # that one entry of the location table covers
_MOST_BYTES = 254  # that one pair of 3.10's table covers
_MOST_LINES = 127  # that one pair steps
_NO_LINE = 0x80


def relocated(code: CodeType, filename: str, lines: Mapping[int, int | None], first_line: int) -> CodeType:
    """The same code with another file name, first line and line of each instruction; nothing else differs.

    `lines` gives the line at each offset where it changes, and holds up to the next offset in it; None says that the
    instructions belong to no line. Before the first offset they lie on `first_line`. Code nested in the constants
    stays where it is.
    """
    table = _location_table if v.PY311 else _line_pairs
    made = code.replace(
        co_filename=filename, co_firstlineno=first_line, co_linetable=table(_runs(code, lines, first_line), first_line)
    )
    assert made.co_code == code.co_code
    key = id(made)
    _relocated[key] = (weakref.ref(made, lambda _: _relocated.pop(key, None)), as_made(code))
    return made


def as_made(code: CodeType) -> CodeType:
    """Relocated code as it was at first, under its own name and lines; any other code itself."""
    relocated, made = _relocated.get(id(code), (None, code))
    return made if relocated is not None and relocated() is code else code


def _runs(code: CodeType, lines: Mapping[int, int | None], first_line: int) -> list[_Run]:
    held: list[int | None] = []
    line: int | None = first_line
    for offset in range(0, len(code.co_code), 2):
        line = lines.get(offset, line)
        held.append(line)
    return [(len(list(run)), line) for line, run in groupby(held)]


def _location_table(runs: list[_Run], first_line: int) -> bytes:
    table = bytearray()
    before = first_line
    for units, line in runs:
        for count in _portions(units, _MOST_UNITS):
            if line is None:
                table.append(0x80 | _NO_LOCATION << 3 | count - 1)
            else:
                table.append(0x80 | _LINE_ONLY << 3 | count - 1)
                table += _signed(line - before)
                before = line
    return bytes(table)


def _signed(number: int) -> bytes:
    """Six bits a byte, lowest first, the sign in the lowest; all but the last byte are marked."""
    rest = -number << 1 | 1 if number < 0 else number << 1
    encoded = bytearray()
    while rest >= 64:
        encoded.append(0x40 | rest & 63)
        rest >>= 6
    encoded.append(rest)
    return bytes(encoded)


def _line_pairs(runs: list[_Run], first_line: int) -> bytes:
    table = bytearray()
    before = first_line
    for units, line in runs:
        step = 0
        if line is not None:
            *far, step = _portions(line - before, _MOST_LINES)
            for part in far:
                table += bytes((0, part & 0xFF))
            before = line
        for size in _portions(2 * units, _MOST_BYTES):
            table += bytes((size, _NO_LINE if line is None else step & 0xFF))
            step = 0
    return bytes(table)


def _portions(whole: int, most: int) -> Iterator[int]:
    """A number as a sum of parts, none larger than `most`; one part of 0 for 0."""
    sign = -1 if whole < 0 else 1
    rest = abs(whole)
    while rest > most:
        yield sign * most
        rest -= most
    yield sign * rest
