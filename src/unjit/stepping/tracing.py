"""Being told of each instruction where there is no monitoring: by the trace function, before the one that is there."""

from __future__ import annotations

import bdb
import opcode
import sys
from types import CodeType, FrameType
from typing import Any

from unjit.stepping.events import Watcher
from unjit.torch_private.calling.frames import outward

_RETURN_VALUE, _YIELD_VALUE = opcode.opmap["RETURN_VALUE"], opcode.opmap["YIELD_VALUE"]
_YIELD_FROM = opcode.opmap.get("YIELD_FROM")  # of Python 3.10
_DEBUGGER_BEGINS = bdb.Bdb.set_trace.__code__  # where `breakpoint()` leads, with pdb and what is made of it


class Tracing:
    """While it is on, all events go to the trace function that was there, too: an attached debugger keeps working."""

    def __init__(self, watcher: Watcher) -> None:
        self.watcher = watcher
        self.is_on = False
        self._theirs: Any = None

    def begin(self) -> None:
        """Watch what is called in this thread from here on."""
        self.is_on = True
        self._theirs = sys.gettrace()
        sys.settrace(self._called)

    def end(self) -> None:
        """Give the place back, unless somebody else has taken it. Frames that run give theirs back by themselves."""
        self.is_on = False
        if sys.gettrace() == self._called:
            sys.settrace(self._theirs)

    def refresh(self) -> None:
        """Nothing to do: it asks at each call."""

    def _called(self, frame: FrameType, event: str, argument: Any) -> Any:
        theirs = None if self._theirs is None else self._theirs(frame, event, argument)
        if sys.gettrace() != self._called:
            sys.settrace(self._called)  # coverage's tracer takes the place when it is called
        if frame.f_code is _DEBUGGER_BEGINS:
            self._make_way(frame)
        if event != "call" or not self.watcher.wants(frame.f_code):
            return theirs
        frame.f_trace_opcodes = True
        return _FrameTracing(self, theirs)

    def _make_way(self, debugger: FrameType) -> None:
        """A debugger takes the trace function and all frames. It knows no opcodes, and would complain of each."""
        for frame in outward(debugger):
            if isinstance(frame.f_trace, _FrameTracing):
                frame.f_trace_opcodes = False
        self.watcher.displaced()


class _FrameTracing:
    """The trace function of one frame."""

    def __init__(self, tracing: Tracing, theirs: Any) -> None:
        self._tracing = tracing
        self._watcher = tracing.watcher
        self._theirs = theirs
        self._failure: str | None = None  # of the last instruction: the exception's name
        self._failures: set[str] = set()  # of all
        self._last: int | None = None  # where the last instruction lies: an exception that is raised on moves `f_lasti`

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if self._theirs is not None and event != "opcode":
            self._theirs = self._theirs(frame, event, argument)
        if not self._tracing.is_on:
            frame.f_trace_opcodes = isinstance(self._theirs, _FrameTracing)
            return self._theirs
        if event == "opcode":
            self._failure, self._last = None, frame.f_lasti
            self._watcher.instruction(frame, frame.f_lasti)
        elif event == "return":
            self._ended(frame, argument)
        elif event == "exception":
            self._failure = argument[0].__name__
            self._failures.add(argument[0].__name__)
            self._watcher.raised(frame, argument[1])
        return self

    def _ended(self, frame: FrameType, value: object) -> None:
        """A return is told: of a frame that only yields, too, and of one that is left by what is raised once more."""
        place = frame.f_lasti if self._last is None else self._last
        if self._failure is None and _yields(frame.f_code, place):
            return
        if self._failure is None and frame.f_code.co_code[place] == _RETURN_VALUE:
            self._watcher.returned(frame, value)
            return
        only = next(iter(self._failures)) if len(self._failures) == 1 else None
        self._watcher.left(frame, self._failure or only or "an exception")


def _yields(code: CodeType, place: int) -> bool:
    """Whether a frame that stands there yields; Python 3.10 stands before a `yield from`, unless it was just told."""
    found = code.co_code
    return found[place] in (_YIELD_VALUE, _YIELD_FROM) or [*found[place + 2 : place + 3]] == [_YIELD_FROM]
