"""What this thread prints is left out, and nothing of what other threads print."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def silent_here() -> Iterator[None]:
    """Within the block what this thread writes to `sys.stdout` is dropped."""
    before = sys.stdout
    if before is None:  # nobody sees what is printed, as in a service without a console
        yield
        return
    ours = _WithoutThread(before, threading.get_ident())
    sys.stdout = ours
    try:
        yield
    finally:
        ours.end()
        if sys.stdout is ours:  # else another thread has put one of its own in place
            sys.stdout = before


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
        return len(text) if threading.get_ident() == self._thread else self._stream.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
