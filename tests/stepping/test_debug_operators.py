"""`unjit.debug` where a graph has operators of the program's own, and those that call graphs, and of other backends."""

from __future__ import annotations

import sys

import pytest
import torch
from torch._dynamo.backends.common import aot_autograd
from torch._higher_order_ops.while_loop import while_loop
from torch.utils.checkpoint import checkpoint

import unjit
from needs import needs
from toys import needs_compiler
from unjit.torch_private.probes.cache_probes import PRECOMPILE_ENTRIES

has_regions = pytest.mark.skipif(not hasattr(torch.compiler, "nested_compile_region"), reason="refused: no regions")
pytestmark = [pytest.mark.usefixtures("nothing_compiled"), needs_compiler, needs(PRECOMPILE_ENTRIES)]


@pytest.fixture(scope="module")
def operators():
    """An operator of the program's own that makes a tensor, and one that changes a tensor."""

    @torch.library.custom_op("unjit_tests::scaled", mutates_args=())
    def scaled(x: torch.Tensor) -> torch.Tensor:
        return x * 2.5

    @scaled.register_fake
    def _(x):
        return torch.empty_like(x)

    @torch.library.custom_op("unjit_tests::add_to", mutates_args={"x"})
    def add_to(x: torch.Tensor, y: torch.Tensor) -> None:
        x.add_(y)

    return scaled, add_to


def compared(function, stage, directory, *calls):
    """What is told of the kernels of some calls, which give what they give without torch.compile."""
    compiled = torch.compile(function)
    expected = [function(*arguments) for arguments in calls]
    with unjit.debug(function, stage=stage, directory=directory, quiet=True) as session:
        for arguments, result in zip(calls, expected, strict=True):
            torch.testing.assert_close(compiled(*arguments), result)
    assert session.problems == []
    return session.comparisons


@pytest.mark.parametrize("stage", ["forward", "post_grad"])
def test_an_operator_is_not_blamed_for_a_buffer_that_it_changes_as_the_graph_says(stage, operators, tmp_path):
    scaled, add_to = operators

    def function(x):
        made = scaled(x)
        sums = made.clone()
        add_to(sums, made)
        return sums.sin()

    (told,) = compared(function, stage, tmp_path, (torch.rand(4, 4),))
    assert told.first is None, str(told)


def doubled_until_large(x):
    return while_loop(lambda y: y.sum() < 100, lambda y: (y * 2,), (x,))[0]


def by_sign(x):
    return torch.cond(x.sum() > 0, lambda y: y.sin() + 1, lambda y: y.cos() - 1, (x,))


@pytest.mark.parametrize("stage", ["forward", pytest.param("post_grad", marks=pytest.mark.slow)])
@pytest.mark.parametrize("function", [doubled_until_large, by_sign])
def test_a_graph_that_calls_graphs_is_compiled_again_for_a_stage_also_where_sizes_vary(function, stage, tmp_path):
    calls = [(torch.ones(3, 4),), (torch.ones(5, 4),), (torch.ones(6, 4),)]
    told = compared(function, stage, tmp_path, *calls)
    assert [str(one) for one in told if one.first or one.returned] == []
    assert len(told) == 3


@getattr(torch.compiler, "nested_compile_region", lambda function: function)  # torch 2.8 and newer
def region(x):
    return torch.nn.functional.gelu(x @ x) + 1


def repeated(x):
    return region(region(region(x)))


def dropped(x):
    return checkpoint(lambda y: torch.nn.functional.dropout(y.sin(), 0.5) * y, x, use_reentrant=False)


def recomputed(x):
    return checkpoint(lambda y: y.sin() * y, x, use_reentrant=False)


@pytest.mark.parametrize("function", [pytest.param(repeated, marks=has_regions), dropped, recomputed])
def test_a_captured_graph_runs_with_gradients_where_torch_can_run_it_so(function, tmp_path):
    def gradient_of(function):
        torch.manual_seed(0)
        x = torch.rand(4, 4, requires_grad=True)
        function(x).sum().backward()
        return x.grad

    compiled = torch.compile(function, backend="aot_eager")
    expected = gradient_of(compiled)
    with unjit.debug(function, stage="captured", directory=tmp_path, quiet=True) as session:
        torch.testing.assert_close(gradient_of(compiled), expected)
    (told,) = map(str, session.problems)
    assert ("no debugger stops in" if function is recomputed else "runs as it is: with gradients") in told


def test_what_an_operator_interprets_is_no_place_to_stop(tmp_path):
    """A checkpoint runs the nodes of its graph one by one: the graph's code never runs, that of a branch does."""

    def branch_and_checkpoint(x):
        return torch.cond(x.sum() > 0, lambda y: y + 1, lambda y: y - 1, (recomputed(x),))

    compiled = torch.compile(branch_and_checkpoint, backend="eager")
    x = torch.ones(3)
    compiled(x)
    ran = set()
    with unjit.debug(branch_and_checkpoint, directory=tmp_path, quiet=True) as session:
        sys.setprofile(lambda frame, event, _: ran.add((frame.f_code.co_filename, frame.f_code.co_firstlineno)))
        try:
            compiled(x)
        finally:
            sys.setprofile(None)
    stops = [stop.what.rpartition(", ")[2] for stop in session.stops]
    assert stops == ["older entry 0", "captured", "cond_true_0", "cond_false_0"]
    assert len({file for file, _ in ran if str(tmp_path) in file}) == 2
    (told,) = map(str, session.problems)
    assert told == (
        "no debugger stops in branch_and_checkpoint, older entry 0, captured, wrap_body_0, whose nodes torch runs "
        "one by one (tag_activation_checkpoint)"
    )


def interpreted_by_aot(graph, inputs):
    return aot_autograd(fw_compiler=lambda inner, _: lambda *values: torch.fx.Interpreter(inner).run(*values))(
        graph, inputs
    )


@pytest.mark.parametrize(
    ("backend", "name"), [("eager_debug", "eager_debug.<locals>.inner"), (interpreted_by_aot, "interpreted_by_aot.")]
)
def test_what_a_backend_interprets_is_no_place_to_stop(backend, name, tmp_path):
    compiled = torch.compile(lambda x: x * 2, backend=backend)
    compiled(torch.ones(3))
    with unjit.debug(compiled, directory=tmp_path, quiet=True) as session:
        assert compiled(torch.ones(3)).tolist() == [2, 2, 2]
    assert len(session.stops) == 1
    (told,) = session.problems
    assert told.startswith("no debugger stops in ")
    assert f"whose nodes torch runs one by one ({name}" in told


def test_that_a_backend_keeps_no_graph_is_said(tmp_path):
    compiled = torch.compile(lambda x: x * 2, backend=lambda _graph, _inputs: lambda x: (x * 2,))
    compiled(torch.ones(3))
    with unjit.debug(compiled, directory=tmp_path, quiet=True) as session:
        assert compiled(torch.ones(3)).tolist() == [2, 2, 2]
    assert len(session.stops) == 1
    assert "what the backend made of it is neither a graph nor Inductor's" in "".join(session.problems)
