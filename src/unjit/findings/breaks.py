"""Graph breaks, each once with all compiles that met it."""

from __future__ import annotations

from dataclasses import replace

from unjit.findings.advice_on_breaks import advice_on
from unjit.model import Capture, CapturedCompile, Concern, ConcernKind, GraphBreak, Message, known_or

_IN_LOOP = "graph break in loop"  # torch's words: it then gives up the whole function
_SKIPPED = (
    "Dynamo cannot go on after it: the rest of the function runs uncompiled. Put what computes there into a function, "
    "which is then compiled by itself."
)


def breaks(capture: Capture) -> list[Concern]:
    """Those in loops first, then those that most compiles met."""
    met: dict[GraphBreak, list[tuple[CapturedCompile, GraphBreak]]] = {}
    for one in capture.compiles:
        for found in known_or(one.compile.breaks, ()):
            met.setdefault(replace(found, stack=()), []).append((one, found))
    concerns = [_concern(one, met_by) for one, met_by in met.items()]
    return sorted(concerns, key=lambda one: (one.kind != "break in a loop", -len(one.paths)))


def _concern(found: GraphBreak, met_by: list[tuple[CapturedCompile, GraphBreak]]) -> Concern:
    kind: ConcernKind = "break in a loop" if _IN_LOOP in found.reason else "graph break"
    advice = _with_the_rest(found, advice_on(met_by[0][1]))
    paths = dict.fromkeys(one.path for one, _ in met_by)
    callers = dict.fromkeys(met.caller for _, met in met_by if met.caller is not None)
    return Concern(kind, found.reason, met_by[0][0].function, found.place, tuple(paths), advice, tuple(callers))


def _with_the_rest(found: GraphBreak, advice: Message | None) -> Message | None:
    """What to do about a break, and about the rest of its function, where that is not compiled."""
    if not found.skips_rest:
        return advice
    return Message(_SKIPPED if advice is None else f"{advice.rstrip('.')}. {_SKIPPED}")
