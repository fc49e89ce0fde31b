"""Decoding each code object once during one job, and its positions.

A decompilation decodes the same few code objects for many questions. What is remembered holds on to the code and its
constants, so it lasts for the job and no longer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import CodeType

from unjit.bytecode.instructions.decode import Instr
from unjit.bytecode.instructions.decode import decode as decode_afresh
from unjit.bytecode.instructions.flow import Places, is_straight, may_be_protected, places_of, reachable
from unjit.bytecode.instructions.positions import Positions


@dataclass(slots=True)
class _Decoded:
    """What is known of one code object, which it keeps alive."""

    code: CodeType
    instrs: tuple[Instr, ...]
    has_lines: bool
    places: Places | None = None
    reachable: list[Instr] | None = None
    positions: Positions | None = None


_known: ContextVar[dict[int, _Decoded] | None] = ContextVar("decoded code objects", default=None)


@contextmanager
def decoding_once() -> Iterator[None]:
    """Within the block, in this thread, each code object is decoded once."""
    token = _known.set({})
    try:
        yield
    finally:
        _known.reset(token)


def decode(code: CodeType, *, with_lines: bool = True) -> tuple[Instr, ...]:
    """All instructions of `code`, dead ones included; remembered within `decoding_once`.

    Whoever needs no lines may get some all the same. Raises UnsupportedPython on an unknown interpreter, BytecodeError
    where the bytes make no sense.
    """
    return _decoded(code, with_lines=with_lines).instrs


def reachable_in(code: CodeType) -> list[Instr]:
    """The instructions of `code` that control can reach, in their order; remembered as well. Not to be changed.

    Raises as `decode` does, and BytecodeError when control can run past the end.
    """
    found = _decoded(code, with_lines=True)
    if found.reachable is None:
        straight = not may_be_protected(code) and is_straight(found.instrs, _places(found))
        found.reachable = list(found.instrs) if straight else reachable(found.instrs)
    return found.reachable


def places_in(code: CodeType) -> Places:
    """The indices in `decode(code)` at which each operation stands; remembered as well. Not to be changed."""
    return _places(_decoded(code, with_lines=False))


def positions_in(code: CodeType) -> Positions:
    """Where in its source each instruction of `code` came from; remembered as well."""
    found = _decoded(code, with_lines=False)
    if found.positions is None:
        found.positions = Positions(code)
    return found.positions


def _places(found: _Decoded) -> Places:
    if found.places is None:
        found.places = places_of(found.instrs)
    return found.places


def _decoded(code: CodeType, *, with_lines: bool) -> _Decoded:
    known = _known.get()
    found = None if known is None else known.get(id(code))
    if found is None or (with_lines and not found.has_lines):
        found = _Decoded(code, decode_afresh(code, with_lines=with_lines), with_lines)
        if known is not None:
            known[id(code)] = found
    return found
