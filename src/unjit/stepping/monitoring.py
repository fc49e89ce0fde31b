"""Being told of each instruction through `sys.monitoring`, on a tool number that nobody else uses."""

from __future__ import annotations

import sys
import threading
from types import CodeType
from typing import Any

from unjit.errors import Unsupported
from unjit.stepping.events import Watcher

_NAME = "unjit.step"
_PREFERRED = (3, 4, 5, 2, 1, 0)  # the others have meanings: optimiser, profiler, coverage, debugger


class Monitoring:
    """Of one thread; other tools, such as an attached debugger, get their events as before."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._monitoring: Any = sys.monitoring  # type: ignore[attr-defined]  # Python 3.12
        self._thread = threading.get_ident()
        self._watched: list[CodeType] = []
        self._tool: int | None = None

    def begin(self) -> None:
        """Watch what is called from here on. Raises Unsupported if all tool numbers are taken."""
        monitoring = self._monitoring
        free = (number for number in _PREFERRED if monitoring.get_tool(number) is None)
        self._tool = tool = next(free, None)
        if tool is None:
            raise Unsupported("all tools of sys.monitoring are taken: detach a debugger or profiler first")
        monitoring.use_tool_id(tool, _NAME)
        events = monitoring.events
        for event, callback in {
            events.PY_START: self._started,
            events.PY_RESUME: self._started,
            events.INSTRUCTION: self._instruction,
            events.PY_RETURN: self._returned,
            events.RAISE: self._raised,
            events.PY_THROW: self._thrown,
            events.PY_UNWIND: self._left,
        }.items():
            monitoring.register_callback(tool, event, callback)
        everywhere = (events.PY_START, events.PY_RESUME, events.RAISE, events.PY_THROW, events.PY_UNWIND)
        monitoring.set_events(tool, sum(everywhere))
        monitoring.restart_events()

    def end(self) -> None:
        """Give the tool number back."""
        if self._tool is None:
            return
        self._monitoring.set_events(self._tool, 0)
        for code in self._watched:
            self._monitoring.set_local_events(self._tool, code, 0)
        self._watched.clear()
        self._monitoring.free_tool_id(self._tool)
        self._tool = None

    def refresh(self) -> None:
        """Tell of the beginning of functions again that were not wanted before."""
        self._monitoring.restart_events()

    def _mine(self) -> bool:
        return threading.get_ident() == self._thread

    def _started(self, code: CodeType, _offset: int) -> Any:
        if not self._watcher.wants(code):
            return self._monitoring.DISABLE
        if not any(code is watched for watched in self._watched):
            events = self._monitoring.events
            self._watched.append(code)
            self._monitoring.set_local_events(self._tool, code, events.INSTRUCTION | events.PY_RETURN)
        return None

    def _instruction(self, _code: CodeType, offset: int) -> None:
        if self._mine():
            self._watcher.instruction(sys._getframe(1), offset)

    def _returned(self, _code: CodeType, _offset: int, value: object) -> None:
        if self._mine():
            self._watcher.returned(sys._getframe(1), value)

    def _thrown(self, code: CodeType, _offset: int, _error: BaseException) -> None:
        """A generator goes on by an exception, which Python tells by itself; this event cannot be switched off."""
        if self._watcher.wants(code):
            self._started(code, 0)

    def _raised(self, code: CodeType, _offset: int, error: BaseException) -> None:
        if self._mine() and self._watcher.wants(code):
            self._watcher.raised(sys._getframe(1), error)

    def _left(self, code: CodeType, _offset: int, error: BaseException) -> None:
        if self._mine() and self._watcher.wants(code):
            self._watcher.left(sys._getframe(1), type(error).__name__)
