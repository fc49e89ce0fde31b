"""`unjit.compare` of results that share memory with what a function was given: a change of one is one of both."""

from __future__ import annotations

import pytest
import torch

import unjit
from toys import needs_compiler
from unjit.api.compare import compare_on
from unjit.comparison.runs.copying import copied

pytestmark = pytest.mark.usefixtures("nothing_compiled")
LAYER = torch.nn.Linear(6, 6)


def test_a_result_that_is_no_view_any_more_differs():
    def function(x):
        return x.view(-1), x + 1

    def copying(graph, _inputs):
        return lambda *args: [out.clone() for out in graph(*args)]

    *_, trial = unjit.compare(torch.compile(function, backend=copying), torch.ones(2, 3)).data.trials
    assert trial.outcome == "differs"
    assert [(str(one.where), str(one.says)) for one in trial.differences] == [
        ("result[0]", "shares no memory with what was given, in eager with args[0]")
    ]


@needs_compiler
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.view(-1),
        lambda x: (x, x[1:, :2], x.t(), x.contiguous(), x.clone()),
        lambda x: {"halves": x.chunk(2), "sum": x.sum()},
        lambda x: (LAYER.weight.t(), LAYER(x)),
        lambda x: x.add_(1),
        lambda x: ((y := x * 2), y.view(-1)),
    ],
)
def test_views_are_views_on_every_backend(function):
    assert [trial.outcome for trial in unjit.compare(function, torch.ones(4, 6)).data.trials] == ["same"] * 3


class ResumedAtDropout(torch.nn.Module):
    """In eval mode its dropout gives its input itself in eager, and a copy once it is compiled."""

    def __init__(self):
        super().__init__()
        self.dropout = torch.nn.Dropout()

    def forward(self, x):
        y = x * 2
        torch._dynamo.graph_break()
        z = self.dropout(y)
        torch._dynamo.graph_break()
        return z + y


@needs_compiler
def test_what_only_graphs_give_each_other_may_be_copies():
    trials = unjit.compare(ResumedAtDropout().eval(), torch.ones(3)).data.trials
    assert [(trial.outcome, trial.first_graph) for trial in trials] == [("same", None)] * 3


def test_of_a_result_that_is_missing_nothing_else_is_told():
    def function(x):
        return {"sum": x.sum()} if torch.compiler.is_compiling() else {"view": x.view(-1), "sum": x.sum()}

    (trial,) = compare_on(["eager"], function, (torch.ones(2, 3),), {}).data.trials
    assert [(str(one.where), str(one.says)) for one in trial.differences] == [("result['view']", "is missing")]


def doubles_the_first(x, y):
    x.mul_(2)
    return x + y


def overlapping():
    base = torch.ones(8)
    return base[:4], base[2:6]


def test_inputs_that_share_memory_share_it_in_float64_too():
    """Else the run in float64 is another program, and takes what is wrong for rounding."""

    def apart(graph, _inputs):
        return lambda x, y: graph(x, y.clone())

    compared = unjit.compare(torch.compile(doubles_the_first, backend=apart), *overlapping())
    assert compared.data.trials[-1].outcome == "differs"
    assert "against float64, eager is off by 0.0e+00" in str(compared)


def test_views_and_gradients_of_inputs_are_those_of_the_program_in_float64():
    base = torch.arange(6.0).requires_grad_()
    first, second = copied((base, base.detach()[::2]), dtype=torch.float64)
    assert (first.dtype, second.dtype) == (torch.float64, torch.float64)
    assert (first.requires_grad, second.requires_grad) == (True, False)
    second.add_(10)
    assert first.tolist() == [10, 1, 12, 3, 14, 5]
    assert base.tolist() == [0, 1, 2, 3, 4, 5]


def test_memory_that_is_shared_in_several_types_has_no_run_in_float64():
    def off(graph, _inputs):
        return lambda *args: [out + 1 for out in graph(*args)]

    x = torch.ones(4)
    compared = compare_on((), torch.compile(lambda x, y: x * 2 + y * 0, backend=off), (x, x.view(torch.int32)), {})
    assert compared.data.trials[-1].outcome == "differs"
    assert "some inputs share memory in several types" in str(compared.data.reference)


def test_of_memory_that_is_shared_no_more_is_copied_in_float64_than_is_used():
    base = torch.arange(1000.0)
    first, second = copied((base[100:102], base[101:103]), dtype=torch.float64)
    assert (first.tolist(), second.tolist()) == ([100, 101], [101, 102])
    assert first.untyped_storage().nbytes() == 3 * 8
    second.zero_()
    assert first.tolist() == [100, 0]
