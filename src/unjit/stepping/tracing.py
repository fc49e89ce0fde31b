"""Being told of each instruction where there is no monitoring: by the trace function, before the one that is there."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from unjit.stepping.events import Watcher


class Tracing:
    """While it is on, all events go to the trace function that was there, too: an attached debugger keeps working."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._theirs: Any = None

    def begin(self) -> None:
        """Watch what is called in this thread from here on."""
        self._theirs = sys.gettrace()
        sys.settrace(self._called)

    def end(self) -> None:
        """Give the place back, unless somebody else has taken it."""
        if sys.gettrace() == self._called:
            sys.settrace(self._theirs)

    def refresh(self) -> None:
        """Nothing to do: it asks at each call."""

    def _called(self, frame: FrameType, event: str, argument: Any) -> Any:
        theirs = None if self._theirs is None else self._theirs(frame, event, argument)
        if sys.gettrace() != self._called:
            sys.settrace(self._called)  # coverage's tracer takes the place when it is called
        if event != "call" or not self._watcher.wants(frame.f_code):
            return theirs
        frame.f_trace_opcodes = True
        return _FrameTracing(self._watcher, theirs)


class _FrameTracing:
    """The trace function of one frame."""

    def __init__(self, watcher: Watcher, theirs: Any) -> None:
        self._watcher = watcher
        self._theirs = theirs

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if self._theirs is not None and event != "opcode":
            self._theirs = self._theirs(frame, event, argument)
        if event == "opcode":
            self._watcher.instruction(frame, frame.f_lasti)
        elif event == "return":
            self._watcher.returned(frame, argument)
        elif event == "exception":
            self._watcher.raised(frame, argument[1])
        return self
