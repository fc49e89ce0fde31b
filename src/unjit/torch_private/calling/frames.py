"""The frames that run: the one of a function of torch's, and what a frame holds beyond its variables."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Final

from unjit.model import Maybe, Message, Unknown
from unjit.torch_private.probes import probes


class _Null:
    """Stands for a slot in which the interpreter keeps nothing."""

    def __repr__(self) -> str:
        return "NULL"


NULL: Final = _Null()


def frame_of(function: Any) -> FrameType | None:
    """The innermost frame of this thread that runs a function; None if none does, or it is not written in Python."""
    wanted = getattr(function, "__code__", None)
    frame: FrameType | None = sys._getframe() if wanted is not None else None
    while frame is not None and frame.f_code is not wanted:
        frame = frame.f_back
    return frame


def values_on_stack(frame: FrameType, depth: int) -> Maybe[tuple[Any, ...]]:
    """The lowest `depth` values on a frame's stack, bottom first.

    torch reads memory: the frame must stand before an instruction, and have that many values then. While it waits for
    a call, its arguments are gone from its stack.
    """
    if depth == 0:
        return ()
    null = probes.NULL_ON_STACK.get()
    found = null if isinstance(null, Unknown) else probes.STACK_VALUES.call(frame, depth)
    if isinstance(found, Unknown):
        return found
    if len(found) != depth:
        return Unknown(Message(f"torch reads {len(found)} of {depth} values"))
    return tuple(NULL if value is null else value for value in found)
