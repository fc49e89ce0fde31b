"""`trace.json`: what the Trace Event Format asks for, and that it is the time of the run."""

from __future__ import annotations

import json

import pytest
import torch

import unjit
from toys import toy
from unjit.model import CompileId, CompileRun, Generated, Host, Phase, Run, Term, Unknown
from unjit.render.times.timeline import lanes
from unjit.render.times.trace_events import trace_events, trace_events_text


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    torch._dynamo.reset()
    with unjit.capture(tmp_path_factory.mktemp("trace") / "out") as session:
        torch.compile(toy, backend="aot_eager")(torch.ones(3, requires_grad=True), torch.ones(3)).sum().backward()
    return session


def nested(events):
    """Whether each event of a thread lies wholly within those that are open when it begins."""
    ends = []
    for event in events:
        while ends and ends[-1] <= event["ts"]:
            ends.pop()
        if ends and event["ts"] + event["dur"] > ends[-1]:
            return False
        ends.append(event["ts"] + event["dur"])
    return True


def validate(data):
    """The rules of the format for the events that we write."""
    assert data["displayTimeUnit"] in ("ms", "ns")
    complete = [event for event in data["traceEvents"] if event["ph"] == "X"]
    names = [event for event in data["traceEvents"] if event["ph"] == "M"]
    assert len(complete) + len(names) == len(data["traceEvents"])
    for event in data["traceEvents"]:
        assert isinstance(event["name"], str)
        assert all(isinstance(event[key], int) and event[key] >= 0 for key in ("pid", "tid", "ts"))
    assert all(isinstance(event["dur"], int) and event["dur"] >= 0 for event in complete)
    assert {event["name"] for event in names} == {"process_name", "thread_name"}
    assert all(isinstance(event["args"]["name"], str) for event in names)
    threads = {(event["pid"], event["tid"]) for event in complete}
    assert threads == {(event["pid"], event["tid"]) for event in names if event["name"] == "thread_name"}
    assert [event["ts"] for event in complete] == sorted(event["ts"] for event in complete)
    for thread in threads:
        assert nested([event for event in complete if (event["pid"], event["tid"]) == thread])
    return complete


def test_the_directory_has_a_trace_that_fits_the_format(session):
    complete = validate(json.loads((session.directory / "trace.json").read_text()))
    run = session.data.run
    assert len(complete) == sum(len(one.phases) for one in run.compiles)
    assert {"entire_frame_compile", "backend_compile"} <= {event["name"] for event in complete}
    assert {event["args"]["function"] for event in complete} == {one.path.split("/")[1] for one in run.compiles}
    assert complete == [event for event in trace_events(run, run.compiles) if event["ph"] == "X"]


def phase(name, start, seconds):
    return Phase(Term(name), start, seconds, 0)


def a_run(*compiles):
    made = tuple(
        CompileRun(
            Term(f"functions/f/compile_{at}"), CompileId(0, at), thread, 1.0, phases, Unknown("a log"), Generated("{}")
        )
        for at, (thread, phases) in enumerate(compiles)
    )
    nothing = Unknown("not asked")
    return Run(nothing, nothing, nothing, nothing, nothing, (), nothing, made)


def written(run):
    return json.loads("".join(trace_events_text(run, run.compiles)))


def test_threads_have_lanes_and_rounding_never_breaks_the_nesting():
    run = a_run(
        (
            Host('main "quoted" </script>'),
            (phase("outer", 1.0, 1.0), phase("inner", 1.5, 0.500001), phase("next", 2.0, 0.1)),
        ),
        (Host("other"), (phase("outer", 1.2, 1.0),)),
        (Unknown("a log"), (phase("late", 9.0, -1.0),)),
        (Unknown("a log"), ()),
    )
    validate(written(run))
    main, other, unknown = lanes(run.compiles)
    assert [(span.name, span.start, span.length, span.own, span.depth) for span in main.spans] == [
        ("outer", 1_000_000, 1_000_000, 500_000, 0),
        ("inner", 1_500_000, 500_000, 500_000, 1),
        ("next", 2_000_000, 100_000, 100_000, 0),
    ]
    assert (other.thread, unknown.thread, unknown.spans[0].length) == ("other", "unknown thread", 0)


def test_a_run_without_compiles_is_still_a_trace():
    (name,) = written(a_run())["traceEvents"]
    assert name["name"] == "process_name"
