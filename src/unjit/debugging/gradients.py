"""Captured graphs of which autograd gets other gradients than a compile: why they cannot run in place of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unjit.comparison.inside.graph_values import values_of
from unjit.comparison.restoring.randomness import RandomState, drew_alike
from unjit.model import Message


def why_no_gradients(graph: Any, inputs: Sequence[Any]) -> Message | None:
    """Why autograd would not make of a captured graph what a compile makes of it; None if it would, or is not asked.

    Raises what the graph raises.
    """
    if not _takes_gradients(graph, inputs):
        return None
    operators = {str(node.target) for part in graph.modules() if hasattr(part, "graph") for node in part.graph.nodes}
    if "invoke_subgraph" in operators:
        return Message("with gradients torch runs nested regions where it compiles them alone")
    if "tag_activation_checkpoint" in operators and _draws(graph, inputs):
        return Message("with gradients a region of torch.utils.checkpoint would be computed with other random numbers")
    return None


def _takes_gradients(graph: Any, inputs: Sequence[Any]) -> bool:
    import torch

    tensors = [*graph.parameters(), *inputs]
    return torch.is_grad_enabled() and any(getattr(one, "requires_grad", False) for one in tensors)


def _draws(graph: Any, inputs: Sequence[Any]) -> bool:
    """Whether a graph draws random numbers. Raises what it raises."""
    import torch

    before = RandomState.now()
    try:
        with torch.no_grad():
            after = values_of(graph, inputs, ()).random
    finally:
        before.put_back()
    return not drew_alike(before, before, after)
