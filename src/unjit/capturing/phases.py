"""The time line of a compile, from the events that torch writes for trace viewers."""

from __future__ import annotations

import json
from collections.abc import Iterable

from unjit.model import Phase, Term

Event = tuple[str, str, float]  # B, E or i; the name; microseconds since 1970


def read_event(payload: str) -> Event:
    """One chromium event."""
    event = json.loads(payload)
    return str(event.get("ph")), str(event.get("name")), float(event.get("ts", 0.0))


def read_phases(payloads: Iterable[str], began: float) -> tuple[Phase, ...]:
    """Phases that began and ended, in the order in which they began; `began` is in seconds since 1970."""
    open_phases: list[tuple[int, str, float]] = []
    found: list[Phase | None] = []
    for what, name, at in map(read_event, payloads):
        if what == "B":
            open_phases.append((len(found), name, at))
            found.append(None)
        elif what == "E" and any(name == other for _, other, _ in open_phases):
            while open_phases:
                index, opened, start = open_phases.pop()
                if opened == name:
                    span = round((at - start) / 1e6, 6)
                    found[index] = Phase(Term(name), round(start / 1e6 - began, 6), span, len(open_phases))
                    break
    return tuple(phase for phase in found if phase is not None)
