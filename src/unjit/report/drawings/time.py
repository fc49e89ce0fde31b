"""Where the time of compiling went: every phase on its thread's time line, and the sum for each phase."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from unjit.model import Capture
from unjit.render.timeline import Lane, Span, lanes
from unjit.report.drawings.titles import title_of
from unjit.report.ids import Ids

SPAN_COLUMNS = ("phase", "start", "length", "own", "depth", "compile")  # times in microseconds


def data(capture: Capture, ids: Ids) -> dict[str, Any]:
    """`lanes` of spans as rows (`SPAN_COLUMNS`), the compiles and phases that they name by number, and the sums."""
    found = () if capture.run is None else lanes(capture.run)
    spans = [span for lane in found for span in lane.spans]
    compiles = {str(span.compile.path): at for at, span in enumerate(_first(spans))}
    phases = {name: at for at, name in enumerate(dict.fromkeys(span.name for span in spans))}
    return {
        "compiles": [_compile(path, capture, ids) for path in compiles],
        "phases": [_sums(name, spans) for name in phases],
        "lanes": [{"thread": lane.thread, "spans": _rows(lane, phases, compiles)} for lane in found],
    }


def _first(spans: Iterable[Span]) -> Iterable[Span]:
    """One span of each compile."""
    return {str(span.compile.path): span for span in spans}.values()


def _compile(path: str, capture: Capture, ids: Ids) -> dict[str, str]:
    for one in capture.compiles:
        if one.path == path:
            return {"id": ids.compile(one), "title": title_of(one, capture)}
    return {"id": "", "title": path}


def _sums(name: str, spans: Iterable[Span]) -> dict[str, Any]:
    """A phase over all compiles. A phase within one of the same name counts once."""
    found = [span for span in spans if span.name == name]
    return {
        "name": name,
        "count": len(found),
        "total": sum(span.length for span in _outermost(found)),
        "own": sum(span.own for span in found),
    }


def _outermost(found: Iterable[Span]) -> Iterable[Span]:
    end: dict[str, int] = {}
    for span in found:
        lane = str(span.compile.thread)
        if span.start >= end.get(lane, 0):
            end[lane] = span.start + span.length
            yield span


def _rows(lane: Lane, phases: dict[str, int], compiles: dict[str, int]) -> list[list[int]]:
    return [
        [phases[span.name], span.start, span.length, span.own, span.depth, compiles[str(span.compile.path)]]
        for span in lane.spans
    ]
