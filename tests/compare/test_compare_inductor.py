"""`unjit.compare` where Inductor is at fault: after which of its steps, in which kernel, from which nodes."""

from __future__ import annotations

import pytest
import torch
import torch._dynamo
from torch._inductor import config, decomposition, lowering

from toys import needs_compiler
from unjit.api.compare import compare_on
from unjit.comparison.inside.lowering import lowering_difference
from unjit.model import Comparison, Unknown, from_plain, to_plain
from unjit.torch_private.probes.probe import Probe
from wrong_compiler import cos, exchanged, sin

pytestmark = [needs_compiler, pytest.mark.usefixtures("nothing_compiled")]


def waves(a):
    b = torch.relu(a) + 1
    return b * b.sin().sum(0)


def inside(function, *inputs):
    return lowering_difference(torch.fx.symbolic_trace(function), inputs, {})


def line(number):
    return waves.__code__.co_firstlineno + number


def test_the_first_kernel_that_differs_is_named_with_its_nodes_and_line():
    a = torch.linspace(-1, 1, 16).reshape(4, 4).requires_grad_()
    with exchanged(lowering.lowerings, cos, lowering.lowerings[sin]):  # the derivative of sin alone is wrong
        found = compare_on(["aot_eager", "inductor"], waves, (a,), {})
    assert [(trial.backend, trial.outcome) for trial in found.data.trials] == [
        ("aot_eager", "same"),
        ("inductor", "differs"),
    ]
    told = found.data.first.first_graph.inside
    assert (told.step, told.half) == ("kernel", "backward")
    assert told.kernel.startswith("cpp_fused_")
    assert "cos" in told.nodes
    assert told.uncompared == ()
    assert f"first kernel that differs: {told.kernel} of the backward, in {told.buffer}, which holds " in str(found)
    assert f"test_compare_inductor.py:{told.place.line} in waves: " in str(found)
    assert "in the graph" in told.says
    assert from_plain(Comparison, to_plain(found.data)) == found.data  # as it goes from a program to `unjit compare`


def test_a_pass_is_blamed_and_not_the_kernels_that_were_made_of_what_it_left():
    def wrong(graph):
        for node in graph.nodes:
            if node.target is sin:
                node.target = cos

    with config.patch(post_grad_custom_post_pass=wrong, fx_graph_cache=False):
        found = compare_on(["inductor"], waves, (torch.linspace(-1, 1, 4),), {})
    told = found.data.first.first_graph.inside
    assert (told.step, told.half, told.kernel, told.nodes) == ("passes", "inference", None, ("sin",))
    assert told.place.line == line(2)
    assert "Inductor's passes change what the inference computes, first in sin" in str(found)


def test_a_decomposition_is_blamed_before_all_else_and_the_first_nan_named():
    with exchanged(decomposition.decompositions, sin, lambda x: (x - 10).sqrt()):
        found = compare_on(["inductor"], waves, (torch.linspace(-1, 1, 4),), {})
    told = found.data.first.first_graph.inside
    assert told.step == "graph"
    assert "4 of 4 values are nan and are not in eager" in told.says
    assert "what Inductor receives differs already" in str(found)
    assert f"the first nan comes from {told.kernel} of the inference, in {told.buffer}, which holds " in str(found)


def test_a_backend_after_one_that_parts_is_not_looked_into():
    def mean(x):
        return (x.sum(-1) / x.shape[0]) if torch.compiler.is_compiling() else x.mean(-1)

    found = compare_on(["eager", "inductor"], mean, (torch.ones(2, 4),), {})
    assert [trial.outcome for trial in found.data.trials] == ["differs", "differs"]
    assert [trial.first_graph for trial in found.data.trials] == [None, None]


def test_a_graph_that_does_not_part_blames_nothing():
    found = inside(waves, torch.linspace(-1, 1, 8))
    assert isinstance(found, Unknown)
    assert "it does not part" in found.reason


def test_a_kernel_that_is_nearer_to_float64_than_its_graph_is_not_blamed():
    def rounded(a):
        return (a + 300) - 300  # a kernel keeps the sum in float32, the graph in bfloat16

    given = torch.linspace(0.1, 1, 8).bfloat16()
    assert not torch.allclose(rounded(given), given, atol=0.05)
    assert "it does not part" in inside(rounded, given).reason


def test_random_numbers_that_float64_would_not_draw_excuse_nothing():
    def noisy(a):
        return a + torch.rand_like(a).sin()

    with exchanged(lowering.lowerings, sin, lowering.lowerings[cos]):
        found = compare_on(["inductor"], noisy, (torch.ones(64),), {})
    assert found.data.first.outcome == "differs"
    assert "other random numbers" in found.data.reference.reason
    assert found.data.first.first_graph.inside.kernel.startswith("cpp_fused_")


def test_a_kernel_is_not_blamed_for_a_value_that_it_never_stores():
    """The negation before the assertion gets the memory of what it negates, and no kernel writes it."""

    def checked(a, b):
        torch._assert_async((a > 0).all())  # as Dynamo has `assert`, of which pytest makes something else here
        return (a.sqrt() @ b).cos()

    a = torch.linspace(0.1, 1, 16).reshape(4, 4)
    with exchanged(lowering.lowerings, cos, lowering.lowerings[sin]):
        told = compare_on(["inductor"], checked, (a, a), {}).data.first.first_graph.inside
    assert (told.step, told.nodes[0]) == ("kernel", "cos")
    assert told.place.line == checked.__code__.co_firstlineno + 2
    assert [kernel for kernel in told.uncompared if "assert" in kernel] == list(told.uncompared)


def test_where_torch_does_not_tell_what_is_stored_no_kernel_is_named(monkeypatch):
    monkeypatch.setattr("unjit.torch_private.probes.stage_probes.REMOVED_IN_PLACE", Probe("Graph.gone", "x", "y"))
    with exchanged(lowering.lowerings, sin, lowering.lowerings[cos]):
        found = compare_on(["inductor"], waves, (torch.linspace(-1, 1, 4),), {})
    assert "has no Graph.gone: y" in found.data.first.first_graph.inside.reason
