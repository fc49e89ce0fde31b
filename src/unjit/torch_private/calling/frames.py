"""The frames that run: the one of a function of torch's, and what a frame holds beyond its variables."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any, Final

from unjit.model import Maybe, Message, Unknown
from unjit.torch_private.probes import call_probes as probes


class _Null:
    """The value of a stack slot that is empty."""

    def __repr__(self) -> str:
        return "NULL"


NULL: Final = _Null()


def outward(frame: FrameType | None) -> Iterator[FrameType]:
    """A frame, the one that called it, and so on to the outermost of its thread."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def frame_of(function: Maybe[Any]) -> FrameType | None:
    """The innermost frame of this thread that runs a function.

    None if none does, as of one that is not written in Python, or that this torch does not have.
    """
    wanted = getattr(function, "__code__", None)
    return next((frame for frame in outward(sys._getframe()) if frame.f_code is wanted), None)


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
