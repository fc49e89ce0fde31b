"""The phases of compiles in the Trace Event Format, which Perfetto and chrome://tracing open.

The format is Google's: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU. Phases are
complete events ("X"), names of process and threads are metadata ("M"), times are microseconds since the capture began.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from unjit.model import Run, Unknown
from unjit.render.timeline import Lane, lanes

Event = dict[str, Any]


def trace_events_text(run: Run) -> str:
    """The phases of a run as JSON, one event to a line."""
    events = ",\n".join(json.dumps(event, ensure_ascii=False) for event in trace_events(run))
    return f'{{"displayTimeUnit": "ms", "traceEvents": [\n{events}\n]}}\n'


def trace_events(run: Run) -> list[Event]:
    """The events in the order of time; names first."""
    process = 0 if isinstance(run.process, Unknown) or not run.process.isdecimal() else int(run.process)
    found = lanes(run)
    events = [event for number, lane in enumerate(found, 1) for event in _events(lane, process, number)]
    return [*_names(found, process), *sorted(events, key=lambda event: (event["ts"], -event["dur"]))]


def _names(found: tuple[Lane, ...], process: int) -> Iterator[Event]:
    yield _name("process_name", process, 0, "compiles of torch.compile")
    for number, lane in enumerate(found, 1):
        yield _name("thread_name", process, number, lane.thread)


def _name(kind: str, process: int, thread: int, name: str) -> Event:
    return {"name": kind, "ph": "M", "pid": process, "tid": thread, "ts": 0, "args": {"name": name}}


def _events(lane: Lane, process: int, thread: int) -> Iterator[Event]:
    for span in lane.spans:
        _, function, compile_ = span.compile.path.split("/")[-3:]
        yield {
            "name": span.name,
            "cat": "compile",
            "ph": "X",
            "ts": span.start,
            "dur": span.length,
            "pid": process,
            "tid": thread,
            "args": {"function": function, "compile": compile_, "compile id": str(span.compile.compile_id)},
        }
