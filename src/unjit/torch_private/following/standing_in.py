"""A function of torch's that one of unjit's replaces while somebody listens to torch's trace."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, Final

from unjit.model import Unknown
from unjit.torch_private.following.undoing import surely
from unjit.torch_private.probes.probe import Probe

_lock: Final = threading.Lock()


class StandIn:
    """Replaces a global of one of torch's modules, given by its probe, by `ours`. If torch lacks it, does nothing."""

    def __init__(self, place: Probe, ours: Any) -> None:
        self._place, self._ours = place, ours
        self._listeners: list[object] = []  # recordings can overlap, and end in any order
        self._torchs_own: list[Any] = []

    def begin(self) -> Callable[[], None]:
        """Stand in; gives the function that ends this."""
        listener = object()
        with _lock:
            self._listeners.append(listener)
            self._put(self._ours)
        return lambda: surely(lambda: self._end(listener))

    def _end(self, listener: object) -> None:
        with _lock:
            if listener in self._listeners:
                self._listeners.remove(listener)
            if not self._listeners and self._torchs_own:
                if self._place.get() is self._ours:  # else the program has put something there since
                    self._put(self._torchs_own[-1])
                self._torchs_own.clear()  # last: an interrupt before it has all this done once more

    def _put(self, what: Any) -> None:
        there = self._place.get()
        if isinstance(there, Unknown) or there is what:
            return
        if what is self._ours:
            self._torchs_own[:] = [there]
        home, _, name = self._place.name.rpartition(".")
        setattr(sys.modules[home], name, what)
