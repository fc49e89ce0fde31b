"""What this thread prints is left out, and nothing of what other threads print."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final

_WARNINGS: Final = ("warnings", "_py_warnings")


@contextmanager
def silent_here() -> Iterator[None]:
    """Within the block what this thread writes to `sys.stdout` and `sys.stderr`, or logs, is dropped.

    But for warnings, and for what torch logs: either may be told once for good, and would then be lost to the program.
    """
    with ExitStack() as stack:
        for name in ("stdout", "stderr"):
            stack.enter_context(_silent_stream(name))
        stack.enter_context(_silent_logs())
        yield


@contextmanager
def _silent_stream(name: str) -> Iterator[None]:
    before = getattr(sys, name)
    if before is None:  # nobody sees what is printed, as in a service without a console
        yield
        return
    ours = _WithoutThread(before, threading.get_ident())
    setattr(sys, name, ours)
    try:
        yield
    finally:
        ours.end()
        if getattr(sys, name) is ours:  # else another thread has put one of its own in place
            setattr(sys, name, before)


@contextmanager
def _silent_logs() -> Iterator[None]:
    """A handler keeps the stream that it was made for, so that another one in `sys` does not silence it."""
    thread = threading.get_ident()

    def is_heard(record: logging.LogRecord) -> bool:
        return threading.get_ident() != thread or record.name.split(".")[0] == "torch"

    loggers = [logging.root, *list(logging.root.manager.loggerDict.values())]
    handlers = {handler for one in loggers if isinstance(one, logging.Logger) for handler in one.handlers}
    for handler in handlers:
        handler.addFilter(is_heard)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(is_heard)


class _WithoutThread:
    """A stream that hands everything on, but for what one thread writes."""

    def __init__(self, stream: Any, thread: int) -> None:
        self._stream = stream
        self._thread: int | None = thread

    def end(self) -> None:
        """Drop nothing more: somebody may have noted this stream, and put it in place again."""
        self._thread = None

    def write(self, text: str) -> int:
        """Says that all was written, as a stream does."""
        dropped = threading.get_ident() == self._thread and sys._getframe(1).f_globals.get("__name__") not in _WARNINGS
        return len(text) if dropped else self._stream.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
