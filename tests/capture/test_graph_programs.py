"""A graph's file is a program: also with graphs in it, which operations of a higher order call."""

from __future__ import annotations

import io

import pytest
import torch
from torch._dynamo.repro.after_aot import save_graph_repro
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.fx.experimental.proxy_tensor import make_fx

import unjit
from needs import since
from unjit.torch_private.compiled_graphs.graphs import as_runnable


def nested_conditions(x):
    def positive(x):
        return torch.cond(x.sum() > 3, lambda y: y.sin() + 1, lambda y: y.cos() - 1, (x,))

    return torch.cond(x.mean() > 0, positive, lambda y: y * 2, (x,))


def doubled_until_large(x):
    def step(y):
        return (torch.cond(y.max() > 5, lambda z: z + 90, lambda z: z * 2, (y,)),)

    return while_loop(lambda y: y.sum() < 100, step, (x,))[0]


def running_sums(x):
    def step(carry, row):
        following = carry + row.sin()
        return following, following * 2

    return scan(step, torch.zeros_like(x[0]), x, dim=0)[1]


@pytest.mark.parametrize("function", [nested_conditions, doubled_until_large, running_sums])
def test_graphs_in_graphs_are_called(function, tmp_path, nothing_compiled):
    x = torch.rand(3, 4)
    with unjit.capture(tmp_path / "out"):
        expected = torch.compile(function, backend="aot_eager")(x)
    for name in ("captured", "inference"):
        (file,) = (tmp_path / "out" / "functions").rglob(f"{name}.py")
        torch.testing.assert_close(_graph_in(file)(x)[0], expected)


@pytest.mark.skipif(since("2.15"), reason="this torch's program has graphs in graphs")
def test_the_program_that_compiles_a_graph_compiles_with_graphs_in_graphs():
    """Torch writes what is in a graph inside as the repr of a module, over lines where that has graphs as well."""
    x, text = torch.ones(3), io.StringIO()
    save_graph_repro(text, make_fx(nested_conditions)(x), [x], "inductor", save_dir=None)
    program = as_runnable(text.getvalue())
    compile(program, "runnable.py", "exec")
    assert program.count("None  # torch's program does not have what is in <lambda>()") == 2
    assert "self.false_graph_0 = None" in program


def _graph_in(file):
    """A module of the graph whose class is in a file."""
    scope = {}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    (found,) = (value for value in scope.values() if isinstance(value, type) and issubclass(value, torch.nn.Module))
    return found()
