"""Functions that Dynamo gives up on: it runs the original from then on, and asks no entry that there is."""

from __future__ import annotations

import contextlib

import pytest
import torch
import torch._dynamo

import unjit
from unjit.model import Unknown
from unjit.observe.recorder import start
from unjit.observe.recorder_report import read_run


def halves(x, early=False):
    x = x / 2
    try:
        if early:
            torch._dynamo.graph_break()  # Dynamo cannot go on in the middle of this
    finally:
        x = x - 1
    return x


class Counted:
    """A backend that counts how often its graphs run."""

    def __init__(self):
        self.runs = 0

    def __call__(self, graph, example_inputs):
        def run(*inputs):
            self.runs += 1
            return graph(*inputs)

        return run


@pytest.fixture
def backend():
    torch._dynamo.reset()
    return Counted()


def test_entries_that_run_no_more(backend):
    compiled, x = torch.compile(halves, backend=backend), torch.ones(3)
    compiled(x)
    assert unjit.why(compiled, x).outcome == "runs an entry"
    compiled(x, early=True)
    compiled(x)
    assert backend.runs == 1
    answer = unjit.why(compiled, x)
    assert (answer.outcome, answer.entry, answer.data.advice) == ("runs uncompiled", None, ())
    assert "gave it up (compile 0/1, Unsupported: Call to `torch._dynamo.graph_break()`)" in str(answer)
    assert "not looked at, since the original runs" in str(answer)
    (function,) = unjit.explain(compiled).functions
    assert len(function.entries) == 1
    assert isinstance(function.data.status.state, Unknown)  # with fullgraph=True the call would have raised
    assert "its entry runs no more" in str(function.data.status.detail)
    assert "given up" not in repr(unjit.wrap(compiled))  # it may have been a call with fullgraph=True


def broken_again(x, early=False):
    for _ in range(1):
        with torch.no_grad():
            x = halves(x, early)
    return x


def test_what_a_run_tells(backend):
    compiled, x = torch.compile(broken_again, backend=backend), torch.ones(3)
    with unjit.capture() as session:
        compiled(x)
        compiled(x, early=True)
    assert "its entry runs no more" in str(session.summary())
    assert "given up by Dynamo (compile 0/1" in repr(unjit.wrap(compiled))
    assert unjit.explain(compiled).functions[0].data.status.state == "skipped"


def test_what_a_run_knows_and_live_state_does_not(backend):
    compiled, x = torch.compile(halves, backend=backend), torch.ones(3)
    with unjit.capture() as session:
        compiled(x)
        compiled(x, early=True)
    (function,) = session.functions
    assert function.status.state == "skipped"
    assert "gave it up at its last compile" in str(function.status.detail)


def test_what_a_run_tells_of_fullgraph(backend):
    compiled, x = torch.compile(halves, backend=backend, fullgraph=True), torch.ones(3)
    with unjit.capture() as session:
        compiled(x)
        with pytest.raises(torch._dynamo.exc.Unsupported):
            compiled(x, early=True)
    (function,) = session.functions
    assert function.status.state == "compiled"


def test_no_entry_at_all(backend):
    compiled, x = torch.compile(halves, backend=backend), torch.ones(3)
    compiled(x, True)
    assert unjit.why(compiled, x).outcome == "runs uncompiled"
    assert isinstance(unjit.why(halves, x).outcome, Unknown)  # no call is named, so none without fullgraph=True
    torch._dynamo.reset()
    assert unjit.why(compiled, x).outcome == "compiles"


def test_a_first_call_without_tensors(backend):
    compiled, x = torch.compile(halves, backend=backend), torch.ones(3)
    compiled(1.0)
    compiled(x)
    assert backend.runs == 0
    assert unjit.why(compiled, x).outcome == "runs uncompiled"
    assert "Calls with tensors run uncompiled too" in str(unjit.explain(compiled))


def test_a_generator(backend):
    def parts(x):
        yield x * 2

    compiled = torch.compile(parts, backend=backend)
    list(compiled(torch.ones(3)))
    assert unjit.why(compiled, torch.ones(3)).outcome == "runs uncompiled"
    assert "Dynamo compiles no generators" in str(unjit.explain(compiled))


graph_break = torch._dynamo.graph_break


class Boxed:
    def __init__(self, tensor):
        self.tensor = tensor


def boxed(x):
    box = Boxed(x + 1)
    del x
    graph_break()  # by a name of its own: Dynamo would go on for a function that names torch
    box.seen = True
    return box


def test_a_resume_function_whose_frame_has_no_tensors(backend):
    """Dynamo does not look into plain objects, and begins no compile; a call reached it all the same."""
    recorder = start()
    try:
        torch.compile(boxed, backend=backend)(torch.ones(3))
        rest = read_run(recorder).functions[1]
    finally:
        recorder.stop()
    assert isinstance(rest.status.state, Unknown)
    assert "plain objects" in str(rest.status.advice)


def test_of_what_torch_remembers_nothing(backend):
    compiled, x = torch.compile(halves, backend=backend), torch.ones(3)
    compiled(1.0)
    torch._dynamo.utils.clear_compilation_metrics()
    assert isinstance(unjit.why(compiled, x).outcome, Unknown)


def test_fullgraph_goes_on(backend):
    compiled, x = torch.compile(halves, backend=backend, fullgraph=True), torch.ones(3)
    compiled(x)
    with pytest.raises(torch._dynamo.exc.Unsupported):
        compiled(x, early=True)
    compiled(x)
    assert backend.runs == 2
    assert unjit.why(compiled, x).outcome == "runs an entry"
    assert unjit.why(compiled, x, early=True).outcome == "compiles"


def test_a_backend_that_raises_is_asked_again(backend):
    def broken(graph, example_inputs):
        backend.runs += 1
        raise RuntimeError("no")

    compiled = torch.compile(halves, backend=broken)
    for _ in range(2):
        with contextlib.suppress(torch._dynamo.exc.BackendCompilerFailed):
            compiled(torch.ones(3))
    assert backend.runs == 2
    assert unjit.why(compiled, torch.ones(3)).outcome == "compiles"
    assert "the next call compiles it again" in str(unjit.explain(compiled))
