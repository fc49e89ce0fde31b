"""Which capture the children of this process join: several may last at once, in threads, and end in any order."""

from __future__ import annotations

import os
import threading
from typing import Final

from unjit.starting.environment import BOOT, environment
from unjit.starting.options import Options

_VARIABLES: Final = ("UNJIT_RUN", "UNJIT_PYTHONPATH", "PYTHONPATH")


class Joining:
    """The environment of this process while captures last: children join the one that began last."""

    def __init__(self) -> None:
        self.unlocked()
        self._lasting: list[Options] = []
        self._before: dict[str, str | None] = {}
        self._written: dict[str, str] = {}

    def unlocked(self) -> None:
        """In a forked child, too, where no other thread is left to unlock it."""
        self._lock = threading.Lock()

    def begin(self, options: Options) -> None:
        """From here on children join this one."""
        with self._lock:
            if not self._lasting:
                self._before = {name: os.environ.get(name) for name in _VARIABLES}
            self._lasting.append(options)
            self._write(options)

    def end(self, options: Options) -> None:
        """From here on they join the latest of those that last; after the last one the environment is as it was."""
        with self._lock:
            self._lasting = [one for one in self._lasting if one is not options]
            if self._lasting:
                self._write(self._lasting[-1])
            else:
                self._restore()
                self._before = {}

    def _write(self, options: Options) -> None:
        added = environment(options)
        self._written = {name: added[name] for name in _VARIABLES if name in added}
        os.environ.update(self._written)

    def _restore(self) -> None:
        """Put back what is as it was written; what the program has set meanwhile is its own."""
        for name, before in self._before.items():
            now = os.environ.get(name)
            back = before if now == self._written.get(name) else _without_ours(now, before)
            if back is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = back


def _without_ours(now: str | None, before: str | None) -> str | None:
    """What the program has set, which it may have made of what was written."""
    if now is None or BOOT in (before or "").split(os.pathsep):
        return now
    return os.pathsep.join(part for part in now.split(os.pathsep) if part != BOOT)


JOINING: Final = Joining()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=JOINING.unlocked)
