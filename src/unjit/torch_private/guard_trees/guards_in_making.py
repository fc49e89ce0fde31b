"""The guards that a compile has just made, while the frame that they were made for is at hand."""

from __future__ import annotations

from types import FrameType
from typing import Any

from unjit.model import Maybe, Message, Unknown, first_unknown
from unjit.torch_private.calling.frames import frame_of
from unjit.torch_private.probes import trace_probes as probes

_NONE = Unknown(Message("no guards are being made in this thread"))


def making() -> Maybe[FrameType]:
    """The frame of torch's function that makes guards, when torch tells of guards that are ready."""
    maker = probes.GUARDS_MAKER.get()
    if isinstance(maker, Unknown):
        return maker
    return frame_of(maker) or _NONE


def guards_in_making() -> Maybe[tuple[Any, dict[str, Any]]]:
    """The guard manager and the frame's variables, when torch tells of guards that are ready."""
    frame = making()
    if isinstance(frame, Unknown):
        return frame
    manager = probes.GUARDS_MADE.of(frame.f_locals.get("self"))
    scope = probes.SCOPE_OF_GUARDS.of(frame.f_locals.get("output_graph"))
    return first_unknown(manager, scope) or (manager, scope)
