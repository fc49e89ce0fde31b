"""Which rows of graphs belong together, by what torch recorded and by copies that kept their names; their order."""

from __future__ import annotations

import torch

import unjit
from toys import needs_compiler
from unjit.report.drawings import graphs
from unjit.report.ids import Ids
from unjit.report.texts.graph_rows import joint_origins
from unjit.report.texts.links import Tags
from unjit.report.texts.panes import panes


def trained(x):
    return (torch.sin(x) * x).sum()


def test_forward_and_backward_come_from_the_joint_graph():
    torch._dynamo.reset()
    with unjit.capture() as session:
        torch.compile(trained, backend="aot_eager")(torch.ones(3, requires_grad=True)).backward()
    data = session.data
    texts = {one.name: one for one in panes(data, Ids(data)).shown["trained/0"]}
    for half, node in (("forward", "sin"), ("backward", "cos")):
        row = next(row for row in texts[half].rows if row.id == f"node=trained/0/{half}/{node}")
        assert f"joint=trained/0/{node}" in row.from_
        (same,) = [row for row in texts["joint"].rows if f"joint=trained/0/{node}" in row.is_]
        assert same.id == f"node=trained/0/joint/{node}"

    tags = Tags(data.compiles[0], Ids(data))
    joint, other = (f"        mul = torch.ops.aten.{name}.Tensor(a, b)\n" for name in ("mul", "add"))
    assert joint_origins(joint, joint, "forward", tags) == {"post=trained/0/forward/mul": ["joint=trained/0/mul"]}
    assert joint_origins(joint, other, "forward", tags) == {}


@needs_compiler
def test_what_inductor_does_to_an_inference_graph_comes_after_it_and_is_told_as_that():
    torch._dynamo.reset()
    with unjit.capture(fresh=True) as session:
        torch.compile(trained)(torch.ones(3))
    data = session.data
    ids = Ids(data)
    stages = [one.stage for one in panes(data, ids).shown["trained/0"] if one.stage]
    passes = ["inference", "joint_passes_before", "joint_passes_after", "inference_post_grad_before"]
    assert [one for one in stages if one in passes] == [one for one in passes if one in stages]  # torch 2.6: none
    told = {graph["name"]: graph["says"] for graph in graphs.data(data, ids)["graphs"]}
    assert "forward and backward" not in told.get("joint_passes_before", "")
    assert told.get("inference_post_grad_before") != told["inference_post_grad_after"]  # torch 2.6: not before
    assert not any("them" in says.split() for says in told.values()), "each graph is shown alone"
