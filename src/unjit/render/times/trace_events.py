"""The phases of compiles in the Trace Event Format, which Perfetto and chrome://tracing open.

The format is Google's: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU. Phases are
complete events ("X"), names of process and threads are metadata ("M"), times are microseconds since the capture began.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from unjit.model import CompileRun, Run, Unknown
from unjit.render.times.timeline import Begun, begun

Event = dict[str, Any]


def trace_events_text(run: Run, compiles: Sequence[CompileRun]) -> Iterator[str]:
    """The phases of a run's compiles as JSON, one event to a line, in pieces."""
    before = '{"displayTimeUnit": "ms", "traceEvents": [\n'
    for event in trace_events(run, compiles):
        yield f"{before}{json.dumps(event, ensure_ascii=False)}"
        before = ",\n"
    yield "\n]}\n"


def trace_events(run: Run, compiles: Sequence[CompileRun]) -> Iterator[Event]:
    """The events in the order of time; names first."""
    process = 0 if isinstance(run.process, Unknown) or not run.process.isdecimal() else int(run.process)
    found = begun(compiles)
    yield from _names(found, process)
    events = [_events(lane, process, number) for number, lane in enumerate(found.values(), 1)]
    yield from heapq.merge(*events, key=lambda event: (event["ts"], -event["dur"]))


def _names(threads: Iterable[str], process: int) -> Iterator[Event]:
    yield _name("process_name", process, 0, "compiles of torch.compile")
    for number, thread in enumerate(threads, 1):
        yield _name("thread_name", process, number, thread)


def _name(kind: str, process: int, thread: int, name: str) -> Event:
    return {"name": kind, "ph": "M", "pid": process, "tid": thread, "ts": 0, "args": {"name": name}}


def _events(lane: Iterable[Begun], process: int, thread: int) -> Iterator[Event]:
    for one in lane:
        _, function, compile_ = one.path.split("/")[-3:]
        yield {
            "name": one.name,
            "cat": "compile",
            "ph": "X",
            "ts": one.start,
            "dur": one.end - one.start,
            "pid": process,
            "tid": thread,
            "args": {"function": function, "compile": compile_, "compile id": str(one.compile_id)},
        }
