"""Events of instructions, and who is told of them."""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import Protocol


class Watcher(Protocol):
    """What is told of the frames whose code it wants. Nothing that it runs itself is told."""

    def wants(self, code: CodeType) -> bool:
        """Whether frames of this code are watched."""

    def instruction(self, frame: FrameType, offset: int) -> None:
        """The instruction at `offset` is about to run."""

    def returned(self, frame: FrameType, value: object) -> None:
        """The frame returns."""

    def left(self, frame: FrameType, error: str) -> None:
        """The frame ends by an exception of this name, or by `an exception` where it is not known which."""

    def raised(self, frame: FrameType, error: BaseException) -> None:
        """An exception was raised in the frame, or came into it."""

    def displaced(self) -> None:
        """A debugger has begun, and takes the frames that run: nothing more is told of them."""


class Events(Protocol):
    """A source of events."""

    def begin(self) -> None:
        """Tell from here on."""

    def end(self) -> None:
        """Undo `begin`."""

    def refresh(self) -> None:
        """Ask the watcher anew what it wants."""


def events_for(watcher: Watcher) -> Events:
    """Monitoring where this Python has it, tracing where it does not."""
    if sys.version_info >= (3, 12):
        from unjit.stepping.monitoring import Monitoring

        return Monitoring(watcher)
    from unjit.stepping.tracing import Tracing

    return Tracing(watcher)
