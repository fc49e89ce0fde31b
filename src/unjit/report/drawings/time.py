"""Where the time of compiling went: every phase on its thread's time line, and the sum for each phase."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from unjit.model import Capture, CapturedCompile
from unjit.render.times.timeline import Lane, Span, lanes
from unjit.report.drawings.titles import Titles
from unjit.report.ids import Ids

SPAN_COLUMNS = ("phase", "start", "length", "own", "depth", "compile")  # times in microseconds


def data(capture: Capture, ids: Ids) -> dict[str, Any]:
    """`lanes` of spans as rows (`SPAN_COLUMNS`), the compiles and phases that they name by number, and the sums."""
    found = () if capture.run is None else lanes(capture.run.compiles)
    spans = [span for lane in found for span in lane.spans]
    compiles = {path: at for at, path in enumerate(dict.fromkeys(span.path for span in spans))}
    phases = {name: at for at, name in enumerate(dict.fromkeys(span.name for span in spans))}
    known, titles = {str(one.path): one for one in capture.compiles}, Titles(capture)
    return {
        "compiles": [_compile(path, known.get(path), ids, titles) for path in compiles],
        "phases": [_sums(name, found) for name in phases],
        "lanes": [{"thread": lane.thread, "spans": _rows(lane, phases, compiles)} for lane in found],
    }


def _compile(path: str, known: CapturedCompile | None, ids: Ids, titles: Titles) -> dict[str, str]:
    return {"id": "", "title": path} if known is None else {"id": ids.compile(known), "title": titles.of(known)}


def _sums(name: str, found: Iterable[Lane]) -> dict[str, Any]:
    """A phase over all compiles. A phase within one of the same name counts once."""
    spans = [[span for span in lane.spans if span.name == name] for lane in found]
    return {
        "name": name,
        "count": sum(map(len, spans)),
        "total": sum(span.length for own in spans for span in _outermost(own)),
        "own": sum(span.own for own in spans for span in own),
    }


def _outermost(found: Iterable[Span]) -> Iterable[Span]:
    end = 0
    for span in found:
        if span.start >= end:
            end = span.start + span.length
            yield span


def _rows(lane: Lane, phases: dict[str, int], compiles: dict[str, int]) -> list[list[int]]:
    return [
        [phases[span.name], span.start, span.length, span.own, span.depth, compiles[span.path]] for span in lane.spans
    ]
