"""Wrappers of decorators, which share one code object and its name: what tells them apart."""

from __future__ import annotations

import functools
import re

import pytest
import torch

import unjit
from unjit.findings import concerns
from unjit.model import Report, Unknown
from unjit.observe.recorded.report import read_run
from unjit.render.forms.text import text
from unjit.render.functions.summary import summary_line


def traced(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@traced
def double(x):
    return x * 2


class Layer(torch.nn.Module):
    @traced
    def forward(self, x):
        return x + 1


def repeated(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        for _ in range(2):
            torch._dynamo.graph_break()
            found = function(*args, **kwargs)
        return found

    return wrapper


def run(function):
    return torch.compile(function, backend="eager")(torch.ones(3))


def only(functions, name="wrapper"):
    return next(function for function in functions if function.qualname.endswith(name))


@pytest.mark.smoke
def test_a_run_says_what_each_compile_of_a_wrapper_was_for(recorder):
    run(double)
    run(Layer().forward)
    wrapper = only(read_run(recorder).functions)
    assert [compile_.wraps for compile_ in wrapper.compiles] == [("double",), ("Layer.forward",)]
    assert "  around double, Layer.forward, 2 cache entries, " in summary_line(wrapper)


def test_so_it_does_of_one_that_dynamo_gave_up(recorder):
    run(repeated(double))
    wrapper = next(function for function in read_run(recorder).functions if not function.entries)
    assert "  around double, no cache entries: " in summary_line(wrapper)


def test_torchs_own_wrapper_stands_around_modules_and_functions(recorder):
    run(torch.nn.Linear(3, 3))
    run(torch.no_grad()(lambda x: x + 1))
    inner = only(read_run(recorder).functions, "inner")
    assert "  torch's wrapper around Linear, test_torchs_own_wrapper_stands_" in summary_line(inner)
    assert summary_line(inner).count("torch's wrapper") == 1


class Server:
    @torch.no_grad()
    def handle(self, x):
        return x + 1


def test_that_what_torch_wraps_is_a_method_is_not_told_as_a_condition(recorder):
    run(Server().handle)
    inner = only(read_run(recorder).functions, "inner")
    assert "torch's wrapper around Server.handle, 1 cache entry" in summary_line(inner)
    assert "method" not in summary_line(inner)


def test_other_code_wraps_nothing(recorder):
    kept = [1]
    run(lambda x: x + len(kept))
    (function,) = read_run(recorder).functions
    assert function.compiles[0].wraps == ()
    assert "It wraps" not in text(read_run(recorder))


def test_a_closure_over_several_functions_may_wrap_none_of_them(recorder):
    def loss(x):
        return x.sum()

    model = Layer()
    run(lambda *batch: loss(model(*batch)))
    run(lambda *batch: model(batch[0]))
    first, second = (function.compiles[0].wraps for function in read_run(recorder).functions)
    assert isinstance(first, Unknown)
    assert second == ()


def test_a_capture_keeps_it(tmp_path, nothing_compiled):
    with unjit.capture(tmp_path / "out"):
        run(double)
    loaded = unjit.load(tmp_path / "out")
    assert "compiled, around double, entered from" in (tmp_path / "out" / "index.md").read_text()
    assert only(loaded.functions).compiles[0].wraps == ("double",)


def test_what_was_compiled_for_another_function_is_no_recompile_of_the_first(tmp_path, nothing_compiled):
    compiled = torch.compile(traced(Layer.forward), backend="eager")
    with unjit.capture(tmp_path / "out") as session:
        run(double)
        for size in (2, 3):
            compiled(Layer(), torch.ones(size))
    (concern,) = (found for found in concerns(session.data) if found.kind == "recompile")
    assert concern.what == (
        "once for another function that it wraps; "
        "once: 0/1 did not fit: tensor 'args[1]' size mismatch at index 0. expected 2, actual 3"
    )
    assert "decorate what torch.compile returns" in concern.advice
    assert "mark_dynamic(args[1], 0)" in concern.advice
    assert " in wrapper, around double, Layer.forward: recompile: " in str(session.summary())
    assert "  wrapper  [0/1]  around Layer.forward" in (tmp_path / "out" / "index.md").read_text()


def test_a_break_in_what_a_wrapper_calls_is_not_said_to_be_around_it(nothing_compiled):
    @traced
    def outer(x):
        return inner(x) * 2

    def inner(x):
        torch._dynamo.graph_break()
        return x + 1

    with unjit.capture() as session:
        run(outer)
    assert re.search(r"test_wrapped\.py:\d+ in inner, in the compile of \S*outer: graph break", str(session.summary()))


def test_torch_by_itself_keeps_it_not(nothing_compiled):
    run(double)
    report = unjit.explain(double).report
    (compile_,) = report.functions[0].compiles
    assert isinstance(compile_.wraps, Unknown)
    assert "Which function it wraps is unknown (torch does not keep it" in str(unjit.explain(double))
    assert Report.from_dict(report.to_dict()) == report


def test_a_free_variable_may_be_empty_or_hold_a_method(recorder):
    def made(method, *, late):
        def wrapper(*args):
            return method(*args) if len(args) == 1 else later(args)

        if late:
            later = method
        return wrapper

    run(made(Layer().forward, late=False))
    run(made(double, late=True))
    run(made(torch.sin, late=False))
    wrapper = only(read_run(recorder).functions)
    assert [compile_.wraps for compile_ in wrapper.compiles] == [("Layer.forward",), ("double",), ("sin",)]


def test_another_function_under_the_same_decorator_is_told_from_the_first(nothing_compiled):
    run(double)
    answer = str(unjit.why(torch.compile(traced(Layer.forward), backend="eager"), Layer(), torch.ones(3)))
    assert "actual the code of traced.<locals>.wrapper at 0x" in answer
    assert "decorate what torch.compile returns" in answer
