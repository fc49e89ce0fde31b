"""Decoding each code object once during one job.

A decompilation decodes the same few code objects for many questions. What is remembered holds on to the code and its
constants, so it lasts for the job and no longer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import CodeType

from unjit.bytecode.decode import Instr
from unjit.bytecode.decode import decode as decode_afresh

_Known = dict[int, tuple[CodeType, tuple[Instr, ...], bool]]  # the last says whether they have lines
_known: ContextVar[_Known | None] = ContextVar("decoded code objects", default=None)


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
    known = _known.get()
    if known is None:
        return decode_afresh(code, with_lines=with_lines)
    entry = known.get(id(code))
    if entry is None or (with_lines and not entry[2]):
        entry = known[id(code)] = (code, decode_afresh(code, with_lines=with_lines), with_lines)
    return entry[1]
