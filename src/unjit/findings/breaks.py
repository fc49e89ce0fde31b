"""Graph breaks, each once with all compiles that met it."""

from __future__ import annotations

from dataclasses import replace

from unjit.model import Capture, CapturedCompile, Concern, ConcernKind, GraphBreak, Place, known_or

_IN_LOOP = "graph break in loop"  # torch's words: it then gives up the whole function


def breaks(capture: Capture) -> list[Concern]:
    """Those in loops first, then those that most compiles met."""
    met: dict[GraphBreak, list[tuple[CapturedCompile, Place | None]]] = {}
    for one in capture.compiles:
        for found in known_or(one.compile.breaks, ()):
            met.setdefault(replace(found, stack=()), []).append((one, found.caller))
    concerns = [_concern(one, met_by) for one, met_by in met.items()]
    return sorted(concerns, key=lambda one: (one.kind != "break in a loop", -len(one.paths)))


def _concern(found: GraphBreak, met_by: list[tuple[CapturedCompile, Place | None]]) -> Concern:
    kind: ConcernKind = "break in a loop" if _IN_LOOP in found.reason else "graph break"
    advice = found.hints[0] if found.hints else None
    paths = dict.fromkeys(one.path for one, _ in met_by)
    callers = dict.fromkeys(caller for _, caller in met_by if caller is not None)
    return Concern(kind, found.reason, met_by[0][0].function, found.place, tuple(paths), advice, tuple(callers))
