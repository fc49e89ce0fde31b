"""Which values of a graph may be others in each run, by the operations of torch that give them."""

from __future__ import annotations

import operator

import pytest
import torch

from unjit.comparison.inside.unspecified import is_unspecified, specified

aten = torch.ops.aten


def attention(graph, number):
    q = graph.placeholder("q")
    whole = graph.call_function(aten._scaled_dot_product_flash_attention.default, (q, q, q))
    return graph.call_function(operator.getitem, (whole, number))


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda graph: attention(graph, 0), False),
        (lambda graph: attention(graph, 6), True),  # of the generator, for a backward that drops alike
        (lambda graph: graph.call_function(aten.empty.memory_format, ([3],)), True),
        (lambda graph: graph.call_function(aten.zeros.default, ([3],)), False),
        (lambda graph: graph.call_function(aten.clone.default, (attention(graph, 6),)), True),
        (lambda graph: graph.call_function(aten.clone.default, (attention(graph, 1),)), False),
        (lambda graph: graph.placeholder("empty"), False),
    ],
)
def test_what_no_operation_specifies(made, expected):
    graph = torch.fx.Graph()
    node = made(graph)
    graph.output((node, None, node))
    assert is_unspecified(node) == expected
    result = specified(torch.fx.GraphModule({}, graph), [1, 2, 3])
    assert list(result) == ([None, 2, None] if expected else [1, 2, 3])
