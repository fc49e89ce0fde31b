"""What Inductor makes of a graph that calls graphs belongs to one half, though it tells of each of them."""

from __future__ import annotations

import pytest
import torch

import unjit
from toys import needs_compiler
from unjit.capturing.collecting.naming import Namer


def test_operations_of_graphs_inside_do_not_begin_the_next_half():
    namer = Namer()
    inside = ["ir_pre_fusion", "fusion", "ir_post_fusion", "schedule"]
    group = ["before_post_grad_graph", *inside, *inside, *inside, "inductor_output_code", "fx_graph_cache_bypass"]
    names = [str(namer.name(kind)[0]) for kind in ["aot_forward_graph", "aot_backward_graph", *group, *group]]
    assert {name.partition("_")[0] for name in names[2 : 2 + len(group)]} == {"forward"}
    assert {name.partition("_")[0] for name in names[2 + len(group) :]} == {"backward"}


@getattr(torch.compiler, "nested_compile_region", lambda function: function)  # torch 2.8 and newer
def region(x, y):
    return torch.nn.functional.gelu(x @ y) + 1


def regions(x):
    return region(region(x, x.T.contiguous()), x.T.contiguous()).sum()


def by_sign(x):
    return torch.cond(x.sum() > 0, lambda y: y.sin() + 1, lambda y: y.cos() * y, (x,)).sum()


@needs_compiler
@pytest.mark.parametrize("function", [by_sign, regions])
def test_wrappers_and_kernels_belong_to_their_half(function, nothing_compiled):
    with unjit.capture(fresh=True) as session:
        torch.compile(function)(torch.rand(4, 4, requires_grad=True)).backward()
    (compiled,) = session.compiles
    assert [text.name for text in compiled.artifacts if text.name.startswith("graph")] == []
    assert "tangents_1" not in session.text(function.__name__, 0, "forward_output_code")
    assert "tangents_1" in session.text(function.__name__, 0, "backward_output_code")
    assert {kernel.half for kernel in compiled.kernels} == {"forward", "backward"}
