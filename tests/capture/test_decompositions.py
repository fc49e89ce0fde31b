"""What AOTAutograd took apart, and what stands in its place."""

from __future__ import annotations

import pytest
import torch
from functorch.compile import make_boxed_func
from torch._decomp import core_aten_decompositions
from torch._dynamo.backends.common import aot_autograd

import unjit
from unjit.model import Unknown
from unjit.report.drawings import graphs
from unjit.report.ids import Ids

taking_apart = aot_autograd(
    fw_compiler=lambda graph, _inputs: make_boxed_func(graph.forward), decompositions=core_aten_decompositions()
)


def twice(x, w):
    x = torch.nn.functional.silu(x @ w)
    return torch.nn.functional.silu(x), torch.max(x, dim=0)


@pytest.fixture(scope="module")
def captured(tmp_path_factory):
    torch._dynamo.reset()
    out = tmp_path_factory.mktemp("capture") / "out"
    function = torch.compile(twice, backend=taking_apart)
    with unjit.capture(out):
        function(torch.ones(3, 3, requires_grad=True), torch.ones(3, 3))[0].sum().backward()
        with torch.no_grad():
            function(torch.ones(3, 3), torch.ones(3, 3))
    return unjit.load(out)


def found(captured, number, name):
    return captured.compiles[number].artifact(name).decompositions


def test_each_call_is_told_with_the_nodes_that_stand_for_it(captured):
    joint = found(captured, 0, "joint")
    silus = [one for one in joint if one.operation == "aten.silu.default"]
    assert len(silus) == 2
    assert len(silus[0].nodes) == len(silus[1].nodes) > 1
    assert not {*silus[0].nodes} & {*silus[1].nodes}
    assert sum(one.operation == "aten.silu_backward.default" for one in joint) == 2


def test_the_halves_have_their_own(captured):
    halves = {half: {str(one.operation) for one in found(captured, 0, half)} for half in ("forward", "backward")}
    assert "aten.silu.default" in halves["forward"]
    assert "aten.silu_backward.default" not in halves["forward"]
    assert "aten.silu_backward.default" in halves["backward"]


def test_what_is_left_as_it_is_is_not_among_them(captured):
    for number, name in ((0, "joint"), (1, "inference")):
        operations = {str(one.operation) for one in found(captured, number, name)}
        assert not {"aten.mm.default", "aten.max.dim"} & operations, "parts of a result are part of the operation"
        assert "aten.mm.default" in captured.text("twice", number, name)


def test_graphs_that_aotautograd_did_not_make_say_nothing(captured):
    assert found(captured, 0, "captured") is None


def test_the_text_has_the_line_and_the_rows_of_the_graph(captured):
    text = captured.text("twice", 1, "inference_decompositions")
    graph = captured.text("twice", 1, "inference")
    first, *told = text.strip().split("\n\n")
    assert "inference.py" in first
    assert [paragraph.split("\n")[0] for paragraph in told].count("aten.silu.default") == 2
    line, *rows = told[0].split("\n")[1:]
    assert line.endswith("code: x = torch.nn.functional.silu(x @ w)")
    assert len(rows) > 1
    assert all(row.strip() in graph for row in rows)


def test_where_nothing_was_taken_apart_there_is_no_text():
    torch._dynamo.reset()
    with unjit.capture() as session:
        torch.compile(twice, backend="aot_eager")(torch.ones(3, 3), torch.ones(3, 3))
    assert session.compiles[0].artifact("inference").decompositions == ()
    assert session.compiles[0].artifact("inference_decompositions") is None


def test_a_node_of_the_page_says_what_it_stands_for(captured):
    drawn = graphs.data(captured.data, Ids(captured.data))["graphs"]
    inference = next(graph for graph in drawn if graph["stage"] == "inference")
    asked = {row[0]: inference["operations"][row[9]] for row in inference["nodes"] if row[9] >= 0}
    told = {str(name): str(one.operation) for one in found(captured, 1, "inference") for name in one.nodes}
    assert asked == told


def test_a_redacted_capture_keeps_the_names(captured, tmp_path):
    torch._dynamo.reset()
    with unjit.capture(tmp_path / "out", redact=True) as session:
        torch.compile(twice, backend=taking_apart)(torch.ones(3, 3), torch.ones(3, 3))
    kept = session.compiles[0].artifact("inference").decompositions
    assert [one.operation for one in kept] == [one.operation for one in found(captured, 1, "inference")]
    assert isinstance(session.text("twice", 0, "inference_decompositions"), Unknown)
