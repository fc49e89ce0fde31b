"""Functions that Dynamo gives up on: it runs the original from then on, and asks no entry that there is."""

from __future__ import annotations

import contextlib
import subprocess
import sys

import pytest
import torch
import torch._dynamo
from torch.utils._python_dispatch import TorchDispatchMode

import unjit
from needs import refused_before
from unjit.findings import concerns
from unjit.observe.listening.recorder import start
from unjit.observe.recorded.report import read_run


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


def in_a_loop(x):
    for _ in range(3):
        x = x + 1
        torch._dynamo.graph_break()
        x = x * 2
    return x


def once(x):
    x = x + 1
    torch._dynamo.graph_break()
    return x * 2


def loops_over_a_function(x):
    for _ in range(3):
        x = once(x)
    return x


@refused_before("2.9", "does not tell whether Dynamo still looks at a function")
def test_what_is_advised_on_a_break_in_a_loop_helps(backend):
    x = torch.ones(3)
    torch.compile(in_a_loop, backend=backend)(x)
    assert backend.runs == 0
    (given_up,) = unjit.explain(in_a_loop).functions
    assert "put what computes there into a function" in given_up.data.status.advice
    torch.compile(loops_over_a_function, backend=backend)(x)
    assert backend.runs == 6


def test_a_break_in_a_loop_is_not_taken_for_nothing_to_compile(nothing_compiled):
    torch.compile(in_a_loop, backend="eager")(torch.ones(3))
    told = str(unjit.explain(in_a_loop).functions[0].data.status.detail)
    assert "Dynamo gave it up at a graph break" in told or "or a graph break in a loop" in told


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
    assert function.data.status.state == "skipped"  # with fullgraph=True the call would have raised
    assert "its entry no longer runs" in str(function.data.status.detail)
    assert "given up by Dynamo (compile 0/1" in repr(unjit.wrap(compiled))


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
    assert "its entry no longer runs" in str(session.summary())
    assert "given up by Dynamo (compile 0/1" in repr(unjit.wrap(compiled))
    assert unjit.explain(compiled).functions[0].data.status.state == "skipped"


def test_what_a_run_knows_and_live_state_does_not(backend):
    compiled, x = torch.compile(halves, backend=backend), torch.ones(3)
    with unjit.capture() as session:
        compiled(x)
        compiled(x, early=True)
    (function,) = session.functions
    assert function.status.state == "skipped"
    assert "gave it up (compile 0/1, Unsupported" in str(function.status.detail)


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
    assert unjit.why(halves, x).outcome == "runs uncompiled"  # a call with fullgraph=True would have given nothing up
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
    assert rest.status.state == "skipped"
    assert "plain objects" in str(rest.status.advice)


@torch.compiler.disable
def logs(x):
    assert x is not None


def ends_in_a_call(x):
    logs(x + 1)


@refused_before("2.9", "does not say whether Dynamo still looks at a function")
def test_the_rest_of_a_function_that_only_returns_is_nothing_to_act_on(backend):
    compiled = torch.compile(ends_in_a_call, backend=backend)
    with unjit.capture() as session:
        compiled(torch.ones(3)), compiled(torch.ones(3))
    (rest,) = (one.data for one in unjit.explain(compiled).functions if one.data.resume is not None)
    assert rest.status.state == "skipped"
    assert rest.status.detail == "It only returns: Dynamo has nothing to compile in it, and the original runs."
    found = [(one.kind, one.function) for one in concerns(session.data)]
    assert found[0][0] == "graph break"
    assert found[-1] == ("not compiled", rest.key)


def test_of_what_torch_remembers_nothing(backend):
    compiled, x = torch.compile(halves, backend=backend), torch.ones(3)
    compiled(1.0)
    torch._dynamo.utils.clear_compilation_metrics()
    answer = unjit.why(compiled, x)
    assert answer.outcome == "runs uncompiled"
    assert "torch does not remember why" in str(answer)


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


class Watching(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("entries", [0, 1])
def test_a_call_under_a_dispatch_mode(backend, entries):
    """Dynamo leaves such a call alone, and up to torch 2.13 all that follow; torch keeps no record of it."""
    compiled, x = torch.compile(halves, backend=backend, dynamic=False), torch.ones(3)
    for _ in range(entries):
        compiled(x)
    with Watching():
        now = unjit.why(compiled, torch.ones(4))
        compiled(torch.ones(4))
    assert (now.outcome, "Raise" in str(now)) == ("runs uncompiled", False)
    assert "Dynamo compiles nothing under a TorchDispatchMode" in str(now)
    runs = backend.runs
    compiled(x)
    answer = unjit.why(compiled, x)
    if backend.runs > runs:
        assert answer.outcome == "runs an entry"
        return
    assert (answer.outcome, answer.data.advice) == ("runs uncompiled", ())
    assert "such are calls under a TorchDispatchMode" in str(answer)
    status = unjit.explain(compiled).functions[0].data.status
    assert status.state == "skipped"
    assert "torch._dynamo.reset() makes Dynamo look again" in str(status.advice)
    torch._dynamo.reset()
    assert unjit.why(compiled, x).outcome == "compiles"


def test_the_forward_of_a_module_without_hooks(backend):
    """Of torch's own modules Dynamo compiles those with hooks after a break, and gives all up at one without."""
    net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 3))
    net[0].register_forward_hook(lambda module, inputs, output: None)
    net.register_full_backward_hook(lambda module, before, after: None)  # a break: all within runs by itself
    torch.compile(net, backend=backend)(torch.ones(2, 4, requires_grad=True))
    explained = unjit.explain(torch.nn.Linear.forward).functions[0].data
    if not explained.entries:
        pytest.skip("this torch compiles no forward of torch's own by itself")
    detail = str(explained.status.detail)
    assert "only where the module has hooks" in detail
    assert "does not remember" not in detail
    assert "only where the module has hooks" in str(unjit.why(net[0], torch.ones(2, 4)))


def test_the_limit_raised_after_it_was_reached(backend):
    compiled = torch.compile(halves, backend=backend, dynamic=False)
    with torch._dynamo.config.patch(recompile_limit=2):
        for size in range(2, 6):
            compiled(torch.ones(size))
    runs = backend.runs
    compiled(torch.ones(9))  # the limit is 8 again, and nothing is compiled all the same
    compiled(torch.ones(2))
    assert backend.runs == runs + 1
    answer = unjit.why(compiled, torch.ones(9))
    assert answer.outcome == "runs uncompiled"
    assert "call torch._dynamo.reset(): nothing more is compiled of it before" in str(answer)
    assert unjit.why(compiled, torch.ones(2)).outcome == "runs an entry"
    assert unjit.explain(compiled).functions[0].data.status.state == "recompile limit"


def test_the_limit_of_a_call_with_fullgraph(backend):
    compiled = torch.compile(halves, backend=backend, dynamic=False, fullgraph=True)
    with torch._dynamo.config.patch(recompile_limit=2):
        for size in range(2, 4):
            compiled(torch.ones(size))
        assert unjit.why(compiled, torch.ones(9)).outcome == "raises"
        with pytest.raises(torch._dynamo.exc.FailOnRecompileLimitHit):
            compiled(torch.ones(9))
    assert unjit.why(compiled, torch.ones(9)).outcome == "compiles"


def test_an_error_on_graph_breaks_gives_nothing_up(backend):
    compiled, x = torch.compile(halves, backend=backend), torch.ones(3)
    for _ in range(2):
        with torch._dynamo.error_on_graph_break(True), pytest.raises(torch._dynamo.exc.Unsupported):
            compiled(x, early=True)
    answer = unjit.why(compiled, x, early=True)
    assert answer.outcome == "compiles"
    assert "The last compile failed (compile 0/1, Unsupported: Call to `torch._dynamo.graph_break()`)" in str(answer)
    assert "the next call compiles it again" in str(unjit.explain(compiled))


ran = []


def notes(x, early=False, /, *more, key=None, **rest):
    ran.append(None)
    try:
        if early:
            torch._dynamo.graph_break()
    finally:
        x = x - 1
    return x


def test_asking_runs_nothing(backend):
    """Dynamo is asked by a frame that begins and ends: neither the function's code nor that of an entry runs."""
    compiled, x = torch.compile(notes, backend=backend), torch.ones(3)
    compiled(x)
    compiled(x, True)
    ran.clear()
    events, before = [], sys.gettrace()
    sys.settrace(lambda frame, event, arg: events.append(frame.f_code.co_name))
    try:
        tracing = sys.gettrace()
        assert unjit.why(compiled, x).outcome == "runs uncompiled"
        assert sys.gettrace() is tracing
    finally:
        sys.settrace(before)
    assert ran == []
    assert "notes" not in events
    assert "why" in events


def test_asked_at_the_prompt_of_a_debugger(tmp_path):
    """There no tracing function is called, unless one asks for it: the frame that asks Dynamo would go on."""
    script = tmp_path / "stopped.py"
    script.write_text(
        "import torch, unjit\n"
        "def prints(x):\n"
        "    if not torch.compiler.is_compiling():\n"
        "        print('ran')\n"
        "    try:\n"
        "        torch._dynamo.graph_break()\n"
        "    finally:\n"
        "        x = x - 1\n"
        "    return x\n"
        "compiled, x = torch.compile(prints, backend='eager'), torch.ones(3)\n"
        "compiled(x)\n"
        "done = True\n"
    )
    commands = ["b 12", "c", "p unjit.why(compiled, x).outcome", "p unjit.explain(compiled)", "q"]
    done = subprocess.run(
        [sys.executable, "-m", "pdb", str(script)],
        input="\n".join(commands),
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert "'runs uncompiled'" in done.stdout, done.stdout + done.stderr
    assert done.stdout.count("ran") == 1


def ended_at_a_break(function):
    """Whether it is told so, and has the break."""
    (compile_,) = function.compiles
    assert (compile_.outcome, len(compile_.breaks)) == ("skipped", 1)
    assert function.status.state == "skipped"
    return function.status.detail == "Dynamo gave it up at a graph break; the original runs."


@refused_before("2.9", "does not tell whether Dynamo still looks at a function")
def test_a_break_in_a_try_is_told_by_what_is_alive(backend):
    torch.compile(halves, backend=backend)(torch.ones(3), early=True)
    assert ended_at_a_break(unjit.explain(halves).functions[0].data)


@refused_before("2.13", "records it as a failure")
def test_a_break_in_a_try_is_told_alike_by_what_is_alive_and_what_was_recorded(backend):
    recorder = start()
    try:
        torch.compile(halves, backend=backend)(torch.ones(3), early=True)
        recorded = read_run(recorder).functions[0]
    finally:
        recorder.stop()
    assert ended_at_a_break(recorded)
    assert unjit.explain(halves).functions[0].data.status == recorded.status
