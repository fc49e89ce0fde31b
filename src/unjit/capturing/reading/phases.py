"""The time line of a compile, from the events that torch writes for trace viewers."""

from __future__ import annotations

import json

from unjit.model import Phase, Term


class Timeline:
    """Phases of a compile, as their events come; `began` is in seconds since 1970."""

    def __init__(self, began: float) -> None:
        self._began = began
        self._open: list[tuple[int, str, float]] = []  # number, name, and microseconds since 1970
        self._found: list[Phase | None] = []

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Those that began and ended, in the order in which they began."""
        return tuple(phase for phase in self._found if phase is not None)

    def take(self, payload: str) -> None:
        """One event: B begins a phase, E ends the last one of its name and what is open within it."""
        event = json.loads(payload)
        name, at = str(event.get("name")), float(event.get("ts", 0.0))
        if event.get("ph") == "B":
            self._open.append((len(self._found), name, at))
            self._found.append(None)
        elif event.get("ph") == "E" and any(name == other for _, other, _ in self._open):
            while self._close(name, at) != name:
                continue

    def _close(self, name: str, at: float) -> str:
        """Take the innermost phase off; it is kept if it is the one that ended."""
        number, opened, start = self._open.pop()
        if opened == name:
            begin, span = round(start / 1e6 - self._began, 6), round((at - start) / 1e6, 6)
            self._found[number] = Phase(Term(name), begin, span, len(self._open))
        return opened
