"""`explain` against torch's own trace: every break and recompile that it recorded is named, whatever the program."""

from __future__ import annotations

import contextlib
import json
import logging
import re

import pytest
import torch
import torch._dynamo

import unjit
from corpus import NO_SHARED, awkward, models, more_awkward
from judge import in_words, is_in
from judge import told as told_of_guard
from needs import since
from unjit.model import Unknown
from unjit.observe.guards.printed import readable

pytestmark = pytest.mark.usefixtures("nothing_compiled")

EXPECTED = (RuntimeError,)  # what some programs raise for their user


class Trace(logging.Handler):
    """What torch itself records of breaks and recompiles."""

    def __init__(self):
        super().__init__()
        self.breaks, self.recompiles = [], []

    def emit(self, record):
        name = record.metadata.get("artifact", {}).get("name")
        payload = record.getMessage() if record.msg else getattr(record, "payload", "")
        payload = getattr(record, "payload", payload)
        if name == "dynamo_graph_break_reason":
            self.breaks.append(payload)
        elif name == "recompile_reasons":
            reasons = json.loads(payload) if payload.startswith(("[", '"')) else payload
            self.recompiles.extend(reasons if isinstance(reasons, list) else [reasons])

    def __enter__(self):
        logging.getLogger("torch.__trace").addHandler(self)
        return self

    def __exit__(self, *error):
        logging.getLogger("torch.__trace").removeHandler(self)


def squeezed(text):
    return " ".join(text.split())


def check(target, calls):
    """Run, explain everything, and hold the text against the trace."""
    compiled = torch.compile(target, backend="eager")
    with Trace() as trace:
        for args, kwargs in calls:
            with contextlib.suppress(*EXPECTED):
                compiled(*args, **kwargs)
    explanation = unjit.explain()
    text = squeezed(str(explanation))
    for reason in trace.breaks:
        told = re.split(
            r"Graph Break Reason:\s*(?:(?:Encountered|Failed)[^\n]*\n\n)?|another graph break occurred: \*\*\*\n\n",
            reason,
            flags=re.DOTALL,
        )[1:]
        assert told
        causes = [squeezed(part.splitlines()[0]) for part in told]
        if "that we cannot resume from" in reason and not since("2.15"):  # only the trace has the cause
            causes = ["A break after which Dynamo cannot go on; torch does not keep which it was"]
        assert all(f"Graph break: {cause}" in text for cause in causes)
    for reason in trace.recompiles:
        entry, _, condition = reason.partition(": ")
        condition = readable("", condition.split("  # ")[0].split("\n")[0].strip())
        assert is_in(squeezed(f"Entry {entry} did not fit: {told_of_guard(in_words(condition))}")[:70], text)
    assert type(explanation.report).from_dict(explanation.to_dict()) == explanation.report
    for function in explanation.report.functions:
        assert function.key.isidentifier()
        for entry in function.entries:
            assert not isinstance(entry.guards, Unknown)
            assert all(graph.operations == 0 or not isinstance(graph.source, Unknown) for graph in entry.graphs)
    assert str(unjit.explain(target))
    assert not explanation.report.losses
    return explanation


def break_in_a_loop(x):
    for i in range(3):
        x = x + i
        torch._dynamo.graph_break()
    return x


def breaks_in_a_row(x):
    x = x + 1
    torch._dynamo.graph_break()
    x = x * 2
    torch._dynamo.graph_break()
    return x - 3


def break_in_a_callee(x):
    def inner(y):
        y = y + 1
        torch._dynamo.graph_break()
        return y * 2

    return inner(x) + inner(x - 1)


def recompiles_for_values(x, k, mode):
    return x * k if mode == "mul" else x + k


def closes_over_cells(x):
    scale = x.sum()

    def inner(y):
        return y * scale

    torch._dynamo.graph_break()
    return inner(x), inner


def test_a_break_in_a_loop_skips_the_function_and_says_why():
    explanation = check(break_in_a_loop, [((torch.ones(3),), {})])
    assert explanation.functions[0].data.status.state == "skipped"
    assert "Graph break: graph break in loop" in str(explanation)


def test_breaks_in_a_row_continue_in_a_chain_of_resume_functions():
    explanation = check(breaks_in_a_row, [((torch.ones(3),), {})])
    (first,) = explanation.entries[0].resume_functions
    (second,) = first.entries[0].resume_functions
    begin = breaks_in_a_row.__code__.co_firstlineno
    assert first.data.resume.place.line in (begin + 2, begin + 3)  # where CPython drops the result of the call
    assert second.data.resume.place.line in (begin + 4, begin + 5)
    assert first.name != second.name


def test_a_break_in_a_callee_leads_to_the_callee():
    check(break_in_a_callee, [((torch.ones(3),), {})])
    explanation = unjit.explain(break_in_a_callee)
    assert "inner" in [function.name for function in explanation.functions]
    assert "called from" in str(explanation)


def ends_in_a_break(x):
    return break_in_a_callee(x) if x.dim() == 3 else not_compiled(x)


@torch.compiler.disable
def not_compiled(x):
    return x + 1


def test_a_break_at_the_end_leaves_neither_graph_nor_resume_function_and_is_told():
    explanation = check(ends_in_a_break, [((torch.ones(3),), {})])
    assert not explanation.functions[0].entries[0].data.graphs
    assert "Graph break: Skip calling `torch.compiler.disable()`d function" in str(unjit.explain(ends_in_a_break))


def test_every_failed_guard_of_a_recompile_is_told():
    calls = [((torch.ones(3), 1, "mul"), {}), ((torch.ones(3), 2, "mul"), {}), ((torch.ones(3), 2, "add"), {})]
    explanation = check(recompiles_for_values, calls)
    (_, _, last) = explanation.functions[0].data.compiles
    assert {guard.condition for guard in last.failed_guards} == {"k == 1", "mode == 'mul'"}
    assert all(guard.cause.code.startswith("return x * k") for guard in last.failed_guards)


def test_values_on_the_stack_are_named_as_the_user_wrote_them():
    @torch._dynamo.disable
    def total(x):
        return x.numpy().sum()

    def f(x):
        return x * 4 + float(total(x))

    explanation = check(f, [((torch.ones(3),), {})])
    stacks = [[v.expression for v in h.data.resume.stack] for h in explanation.functions if h.data.resume]
    assert stacks == [["x * 4", "float", "total(x)"], ["x * 4", "float(total(x))"]]
    assert "values on the stack: ___stack0 = x * 4, ___stack1 = float" in str(explanation)


@torch._dynamo.disable
def given(value):
    return value


def is_given(x):
    return x if given(x) is None else x * 2


def cut_out(x):
    return [x, x][given(0) : given(1)][0] + 1


def put_into(x):
    found = [x, x]
    found[given(0) : given(1)] = [x]
    return found[0] + 1


def stored_and_loaded(x):
    found = given(x)
    return found * 2


def within(x):
    with torch.no_grad():
        found = given(x)
        return found * 2


def stored_twice(x):
    found = other = given(x)
    return found * other


@pytest.mark.parametrize(
    ("function", "last"),
    [
        (is_given, ["given(x)"]),
        (cut_out, ["[x, x]", "given(0)", "given(1)"]),
        (put_into, ["[x]", "found", "given(0)", "given(1)"]),
        (stored_and_loaded, ["given(x)"]),
        (stored_twice, ["given(x)"]),
        (within, ["<enters torch.no_grad() again>", "given(x)"]),
    ],
)
def test_they_are_where_dynamo_writes_the_instruction_anew_at_which_it_goes_on(function, last):
    explanation = check(function, [((torch.ones(3),), {})])
    stacks = [[v.expression for v in h.data.resume.stack] for h in explanation.functions if h.data.resume]
    assert stacks[-1] == last


class Base:
    def twice(self, x):
        return x * 2


class Derived(Base):
    def twice(self, x):
        y = super().twice(x)
        torch._dynamo.graph_break()
        text = f"{y.shape} and so on"
        z = super().twice(y)
        torch._dynamo.graph_break()
        return z + len(text)


def test_the_line_is_right_where_dynamo_rewrote_instructions():
    explanation = check(Derived().twice, [((torch.ones(3),), {})])
    begin = Derived.twice.__code__.co_firstlineno
    lines = [handle.data.resume.place.line for handle in explanation.functions if handle.data.resume]
    assert lines[0] in (begin + 2, begin + 3)
    assert lines[1] in (begin + 5, begin + 6)


def test_a_resume_function_behind_a_factory_is_found():
    check(closes_over_cells, [((torch.ones(3),), {})])
    (handle,) = unjit.explain(closes_over_cells).entries[0].resume_functions
    assert "scale" in handle.data.resume.locals
    assert handle.entries


@pytest.mark.skipif(awkward is None, reason=NO_SHARED)
@pytest.mark.parametrize("name", sorted(awkward.CASES) if awkward else [])
def test_awkward_functions(name):
    target, calls = awkward.CASES[name]()
    check(target, [(args, {}) for args in calls])


@pytest.mark.parametrize("name", sorted(more_awkward.CASES))
def test_more_awkward_functions(name):
    target, calls = more_awkward.CASES[name]()
    with torch._dynamo.config.patch(more_awkward.CONFIG[name]):
        check(target, [(args, {}) for args in calls])


@pytest.mark.skipif(models is None, reason=NO_SHARED)
@pytest.mark.parametrize("name", ["bert", "gpt2", "llama", "t5", "resnet", "swin", "clip"])
def test_models_with_breaks(name):
    model, inputs = models.make(name)
    with torch.no_grad():
        explanation = check(models.with_breaks(model), [((), inputs)])
    assert len(explanation.functions) > 3
