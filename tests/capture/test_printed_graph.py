"""Graphs read back from torch's own print of them, and the modules that their nodes came from."""

from __future__ import annotations

import pytest
import torch

import unjit
from toys import toy
from unjit.model import Unknown
from unjit.report.drawings.nesting import nest
from unjit.report.drawings.printed_graph import read_printed_graph


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4, 4)
        self.act = torch.nn.GELU()

    def forward(self, x):
        return x + self.act(self.first(x))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList(Block() for _ in range(2))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x.sum()


@pytest.fixture(scope="module")
def net():
    """The compile of a net of two blocks, forward and backward."""
    torch._dynamo.reset()
    with unjit.capture() as session:
        torch.compile(Net(), backend="aot_eager")(torch.ones(2, 4)).backward()
    (found,) = session.compiles
    return found


def nodes_of(artifact):
    found = read_printed_graph(artifact.text)
    assert not isinstance(found, Unknown), found
    return found


@pytest.mark.parametrize("name", ["captured", "joint", "forward", "backward"])
def test_each_stage_is_read_whole(net, name):
    nodes = nodes_of(net.artifact(name))
    assert nodes[-1].kind == "output"
    assert all(index < at for at, node in enumerate(nodes) for index in node.inputs)
    lines = net.artifact(name).text.splitlines()
    for node in nodes:
        if node.kind.startswith("call") and node.name.isidentifier():
            assert lines[node.first - 1].lstrip().startswith(node.name)
            assert node.inputs, node


def test_nodes_have_values_targets_and_lines(net):
    by_name = {node.name: node for node in nodes_of(net.artifact("forward"))}
    node = by_name["addmm"]
    assert (node.target, node.value) == ("aten.addmm.default", "f32[2, 4][4, 1]cpu")
    assert node.place.code.startswith("return x + self.act(self.first(x))") or "linear" in node.place.code


@pytest.mark.parametrize("name", ["captured", "joint", "forward", "backward"])
def test_nodes_know_their_modules_in_each_stage(net, name):
    artifact = net.artifact(name)
    paths = {str(call.path): call for call in artifact.modules}
    linear = paths["L['self'].blocks.1.first"]
    assert linear.kind == "Linear"
    assert artifact.modules[linear.within].path == "L['self'].blocks.1"
    named = {str(node) for call in artifact.modules for node in call.nodes}
    assert named <= {node.name for node in nodes_of(artifact)}
    assert linear.nodes


def test_parameters_lie_in_the_module_that_reads_them(net):
    artifact = net.artifact("captured")
    nodes = nodes_of(artifact)
    nesting = nest(nodes, artifact.modules)
    (weight,) = [at for at, node in enumerate(nodes) if "1_modules_first_parameters_weight" in node.name]
    group = nesting.groups[nesting.of[weight]]
    assert (group.label, group.detail) == ("first", "Linear")
    assert nesting.groups[group.parent].label == "self.blocks.1"


def test_what_is_no_graph_is_unknown():
    for text in ("", "x = 1", "class A:\n  def forward(self):\n    import os", "def f(:", "class A:\n  x = 1"):
        assert isinstance(read_printed_graph(text), Unknown), text


def test_inner_graphs_in_place_writes_and_packed_inputs():
    text = """
class outer(torch.nn.Module):
    def forward(self, primals, tangents):
        a: "f32[2][1]cpu"  # an input
        b: "Sym(s0)"
        a, b, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)
        # File: /x/my net.py:3 in f, code: y = g(a)
        inner_0 = self.inner_0
        y = torch.ops.higher_order.wrap(inner_0, a);  inner_0 = None
        a[0] = y;  setitem = a;  setitem = None
        a += y;  iadd = a;  a = None
        _set = torch._C._set_grad_enabled(False);  _set = None
        return pytree.tree_unflatten([iadd, -b, y.x], self._out_spec)

    class inner_0(torch.nn.Module):
        def forward(self, z: "f32[2][1]cpu"):
            # No stacktrace found for following nodes
            w = z.add(1)
            return (w,)
"""
    nodes = read_printed_graph(text)
    by_name = {node.name: node for node in nodes}
    names = ["a", "b", "inner_0", "y", "a[0]", "a", "_set", "output", "z", "w", "output"]
    assert [node.name for node in nodes] == names
    assert by_name["y"].place.file == "/x/my net.py"
    assert by_name["inner_0"].kind == "get_attr"
    assert (by_name["w"].kind, by_name["w"].target, by_name["w"].within) == ("call_method", "add", ("inner_0",))
    assert isinstance(by_name["w"].place, Unknown)
    nesting = nest(nodes, None)
    assert [group.label for group in nesting.groups] == ["inner_0"]


def test_a_crowd_is_cut_into_runs_that_can_be_laid_out():
    lines = [f"        n{at} = torch.abs(n{at - 1})" for at in range(1, 20_001)]
    text = "\n".join(["class G(torch.nn.Module):", "    def forward(self, n0):", *lines, "        return (n20000,)"])
    nodes = read_printed_graph(text)
    nesting = nest(nodes, None)
    sizes = {}
    for parent in [group.parent for group in nesting.groups] + nesting.of:
        sizes[parent] = sizes.get(parent, 0) + 1
    assert max(sizes.values()) <= 120
    assert all(group.parent < at for at, group in enumerate(nesting.groups))
    assert nesting.groups[0].label.startswith("n0 … n")


def test_breaks_and_other_backends(tmp_path):
    torch._dynamo.reset()
    with unjit.capture(tmp_path / "out") as session:
        torch.compile(toy, backend="eager")(torch.ones(3), torch.ones(3))
    for compile_ in unjit.load(tmp_path / "out").compiles:
        artifact = compile_.artifact("captured")
        assert artifact == session.compiles_of(compile_.function)[compile_.number].artifact("captured")
        assert artifact.modules == ()
        assert nodes_of(artifact)
