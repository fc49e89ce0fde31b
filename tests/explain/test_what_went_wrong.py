"""What a run says of compiles that came to no good end: whether the call raised, what the error was, once each."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch
from torch._subclasses.fake_tensor import UnsupportedOperatorException

import unjit
from needs import needs, refused_before
from unjit.model import WHILE_HANDLING, Unknown, headline
from unjit.observe.messages import trace_records
from unjit.observe.recorded.report import read_run
from unjit.render.captures.run import overview
from unjit.torch_private.probes import history_probes

ONE = torch.ones(1)


def told(recorder) -> str:
    return "\n".join(overview(read_run(recorder)))


def the_function(recorder, name: str):
    return next(function for function in read_run(recorder).functions if function.qualname.endswith(name))


def test_an_error_after_a_break_is_no_skip(recorder):
    @torch.compile(backend="eager")
    async def step(x):
        y = x * 2
        await asyncio.sleep(0)
        return y + 1

    try:
        asyncio.run(step(ONE))
    except AssertionError:  # as torch 2.13 does; others may compile it or skip it
        assert the_function(recorder, "step").status.state == "failed"
        assert "Failed compiles:" in told(recorder)


def test_the_error_of_a_backend_is_told_whole(recorder):
    def broken(_module, _inputs):
        raise ValueError("this backend is broken")

    with pytest.raises(Exception, match="this backend is broken"):
        torch.compile(lambda x: x * 2, backend=broken)(ONE)
    assert "raised: ValueError: this backend is broken" in str(the_function(recorder, "<lambda>").status.detail)


def test_an_error_of_a_function_that_has_an_entry(recorder):
    @torch.compile(backend="eager")
    def product(x, w):
        return x @ w

    product(torch.ones(2, 3), torch.ones(3, 3))
    with pytest.raises(RuntimeError, match="reduction dim"):
        product(torch.ones(2, 4), torch.ones(3, 3))
    assert len(the_function(recorder, "product").entries) == 1
    assert "Failed compiles:\n  product  [0/1]: " in told(recorder).replace(
        the_function(recorder, "product").key, "product"
    )


@needs(history_probes.RECOMPILE_LIMIT)
def test_at_the_limit_a_call_with_fullgraph_raises(recorder):
    @torch.compile(backend="eager", fullgraph=True, dynamic=False)
    def step(x):
        return x * 2

    raised = False
    with torch._dynamo.config.patch(recompile_limit=2):
        for size in range(1, 5):
            try:
                step(torch.ones(size))
            except Exception:  # its class is torch's own
                raised = True
    assert raised
    status = the_function(recorder, "step").status
    assert status.state == "recompile limit"
    assert "raised" in status.detail
    assert "uncompiled" not in status.detail


@needs(history_probes.RECOMPILE_LIMIT, history_probes.ERROR_AT_LIMIT)
def test_a_limit_that_is_an_error_is_told_as_one(nothing_compiled):
    def step(x):
        return x * 2

    compiled = torch.compile(step, backend="eager", dynamic=False)
    with torch._dynamo.config.patch(recompile_limit=2):
        compiled(torch.ones(2)), compiled(torch.ones(3))
        assert "runs uncompiled" in unjit.explain(step).report.functions[0].status.detail
        with torch._dynamo.config.patch(fail_on_recompile_limit_hit=True):
            with pytest.raises(Exception, match="limit"):
                compiled(torch.ones(4))
            assert "fits none of them raises" in unjit.explain(step).report.functions[0].status.detail


def test_an_entry_without_a_graph_is_dropped_by_a_reset_and_was_not_given_up(recorder):
    @torch.compiler.disable
    def helper(x):
        return x * 2

    @torch.compile(backend="eager")
    def twice(x):
        y = helper(x)
        z = helper(y)
        return z + 1

    for _ in range(2):
        twice(ONE)
        torch._dynamo.reset()
    states = {function.status.state for function in read_run(recorder).functions}
    assert "skipped" not in states


def test_functions_of_equal_code_are_two(recorder):
    def made():
        namespace = {}
        exec("def scale(x):\n    return x * 2\n", namespace)
        return namespace["scale"]

    both = made(), made()
    for function in both:
        torch.compile(function, backend="eager")(ONE)
    functions = read_run(recorder).functions
    assert [(len(function.entries), function.status.state) for function in functions] == [(1, "compiled")] * 2
    assert all(entry.invalid is None for function in functions for entry in function.entries)


def test_one_of_two_resume_functions_of_a_line_is_told_once(recorder):
    @torch.compile(backend="eager")
    def checked(x):
        with torch.no_grad():
            if x.sum() > 0:
                raise ValueError("bad batch")
        return x

    with pytest.raises(ValueError, match="bad batch"):
        checked(ONE)
    compiles = [compile_.compile_id for function in read_run(recorder).functions for compile_ in function.compiles]
    assert len(compiles) == len(set(compiles))


def test_what_torch_tells_no_end_of_was_not_running(recorder):
    class Double(torch.nn.Module):
        def forward(self, x):
            return x * 2

    torch.export.export(Double(), (ONE,), strict=True)
    assert "still running" not in told(recorder)


def test_what_an_exported_program_was_compiled_to_was_not_skipped(recorder):
    metadata = {"frame_id": 0, "frame_compile_id": 0, "attempt": 0}
    metrics = {"co_name": None, "fail_type": None, "guard_count": None, "has_guarded_code": None}
    for record in ({"artifact": {"name": "aot_inference_graph"}}, {"compilation_metrics": metrics}):
        recorder.take(SimpleNamespace(metadata={**record, **metadata}, payload=""))  # as AOTInductor writes them
    (function,) = read_run(recorder).functions
    assert "it never has of compiles of torch.export" in str(function.status.state)
    assert isinstance(function.compiles[0].outcome, Unknown)


def test_the_rest_after_a_break_may_run_uncompiled(recorder):
    @torch.compile(backend="eager")
    def model(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            x = x @ x
            print("start")
            x = x @ x
        with contextlib.ExitStack():
            x = x + 1
            torch._dynamo.graph_break()
            x = x.sin()
        return x @ x

    model(torch.eye(3))
    rest = next(function for function in read_run(recorder).functions if function.resume is not None)
    uncompiled = any(
        WHILE_HANDLING in found.reason for compile_ in rest.compiles for found in compile_.breaks if rest.entries
    )
    assert ("the rest after a break uncompiled" in told(recorder)) is uncompiled


def test_an_error_is_told_with_its_explanation(recorder):
    with pytest.raises(RuntimeError, match="reduction dim"):
        torch.compile(lambda x, w: x @ w, backend="eager")(torch.ones(2, 4), torch.ones(3, 3))
    assert "reduction dim" in told(recorder)


def test_a_list_that_an_explanation_announces_is_told(recorder):
    compiled = torch.compile(lambda x: x.sin(), backend="aot_eager")
    torch.vmap(compiled)(torch.ones(3, 2))
    for text in (told(recorder), str(unjit.explain(compiled))):
        assert "one of the following reasons: - Calling torch.func.vmap(compiled_fn)" in text


def test_modules_of_torchs_own_are_named(recorder):
    torch.compile(torch.nn.Sequential(torch.nn.Linear(1, 1)), backend="eager")(torch.ones(1, 1))
    assert "torch's wrapper around Sequential, 1 cache entry" in told(recorder)


def test_a_class_that_the_name_does_not_tell_is_told(recorder):
    class Base(torch.nn.Module):
        factor = 2

        def forward(self, x):
            return x * self.factor

    class Doubling(Base):
        pass

    for module in Base(), Doubling():
        torch.compile(module, backend="eager")(ONE)
    assert "self is Doubling, 2 cache entries" in told(recorder)


def test_a_directory_that_cannot_be_made_is_said_to_have_nothing(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import torch\ntorch.compile(lambda x: x + 1, backend='eager')(torch.ones(1))\n")
    command = [sys.executable, "-m", "unjit", "run", "--out", "/proc/nothing", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "nothing could be written to /proc/nothing" in done.stderr
    assert "everything that torch made" not in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("one", "one"),
        ("raised:\nValueError: broken\n\nmore", "raised: ValueError: broken"),
        ("a break:\n\n  Failed\n  Explanation: long", "a break: Failed"),
        ("only:", "only:"),
        ("violated!\n  - You marked it\n  - and that\n", "violated! - You marked it"),
        ("", "it says nothing"),
    ],
)
def test_a_headline(text, said):
    assert headline(text) == said


@pytest.mark.parametrize("after_a_break", [False, True])
def test_an_error_of_a_backend_that_skips_a_function_is_one_break(after_a_break, nothing_compiled, tmp_path):
    def skipped(x):
        y = x + 1
        if after_a_break:
            torch._dynamo.graph_break()
        return y * 2

    with unjit.capture(tmp_path / "out") as session:
        torch.compile(skipped, backend=that_knows_no_operator)(torch.ones(2))
    (compiled,) = session.function("skipped").compiles
    assert [found.reason for found in compiled.breaks][after_a_break:] == ["Backend compiler exception"]
    assert len(compiled.breaks) == 1 + after_a_break
    names = [text.name for text in session.compiles_of("skipped")[0].artifacts if "break" in text.name]
    assert names[-2:] == ["break_warning", "break_0"]


def that_knows_no_operator(graph, inputs):
    raise UnsupportedOperatorException("the backend does not know it")


def test_such_an_error_with_fullgraph_is_no_break_and_no_skip(recorder):
    def called(x):
        return x + 1

    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch.compile(called, backend=that_knows_no_operator, fullgraph=True)(torch.ones(2))
    (compiled,) = the_function(recorder, "called").compiles
    assert (compiled.outcome, compiled.breaks) == ("failed", ())
    assert "Backend compiler exception" in compiled.error
    assert the_function(recorder, "called").status.state == "failed"


def test_a_warning_that_no_break_follows_is_told():
    warning = "WON'T CONVERT f file.py line 9\n==== TorchDynamo Stack Trace ====\nError: no"
    (found,) = trace_records.read_breaks([warning])
    assert found.reason == "WON'T CONVERT f file.py line 9"
    another = "Graph break in user code at x.py:3\nReason: another\nNoneType: None\n"
    assert len(trace_records.read_breaks([warning, another])) == 2
    assert trace_records.read_breaks([]) == ()


@refused_before("2.9", "does not say that a compile ended at the recompile limit")
def test_what_a_reset_has_parted_is_told_together(tmp_path):
    @torch.compile(backend="eager")
    def printing(x):
        x = x + 1
        torch._dynamo.graph_break()
        return x * 2

    @torch.compile(backend="eager")
    def constants(x, word):
        return x + len(word)

    torch._dynamo.reset()
    with unjit.capture(tmp_path / "out") as session:
        printing(ONE)
        for times in range(10):
            constants(ONE, "a" * times)
        torch._dynamo.reset()
        constants(ONE, "b")
    report = session.data.report
    lines = overview(report)
    names = [line.split("  ")[1].strip() or line.strip().split("  ")[0] for line in lines[1:4]]
    assert [name.partition("_")[0] for name in names] == [names[0], names[0], names[2]]
    (rest,) = (function for function in report.functions if function.resume is not None)
    assert [one.key for one in report.functions if rest.key in one.resume_functions] == [names[0]]
    refused = [line for line in lines if line.endswith("refused: the recompile limit was reached")]
    assert len(refused) == 1
    assert "/8 (1 reset ago)]" in refused[0]
    assert "had stopped compiling it at the recompile limit" in session.summary()


@needs(history_probes.ERROR_ON_RECOMPILE)
def test_a_recompile_that_raises_says_which_guard_failed(tmp_path):
    @torch.compile(backend="eager")
    def constants(x, word):
        return x + len(word)

    with unjit.capture(tmp_path / "out") as session:
        constants(ONE, "a")
        with torch._dynamo.config.patch(error_on_recompile=True), pytest.raises(Exception, match="Recompiling"):
            constants(ONE, "b")
    (again,) = (one for one in session.compiles if one.number == 1)
    assert [guard.condition for guard in again.compile.failed_guards] == ["word == 'a'"]
    assert "error_on_recompile: remove the cause, listed" in session.summary()
