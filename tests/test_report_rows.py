"""Which rows of graphs belong together: by what torch recorded, and by copies that kept their names."""

from __future__ import annotations

import torch

import unjit
from unjit.report.graph_rows import joint_origins
from unjit.report.ids import Ids
from unjit.report.links import Tags
from unjit.report.panes import panes


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
