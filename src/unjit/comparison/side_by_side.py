"""A captured graph and what was made of it, on copies of the same inputs and from the same random state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unjit.comparison.copying import copied
from unjit.comparison.differences import parted
from unjit.comparison.randomness import RandomState, drew_alike
from unjit.comparison.state import Outcome, ran
from unjit.model import Difference


def side_by_side(graph: Any, made: Any, inputs: Sequence[Any], before: RandomState) -> tuple[list[Difference], Outcome]:
    """How what was made differs from the graph, held against float64 where that can be run; and what it gave.

    Leaves the random state behind the last run. Raises what copying the inputs raises.
    """
    expected = _ran(graph, inputs, before)
    found = _ran(made, inputs, before)
    exact = _ran(graph, inputs, before, exact=True)
    reference = dict(exact.values) if drew_alike(before, expected.random, exact.random) else {}
    return list(parted(expected, found, reference)), found


def _ran(function: Any, inputs: Sequence[Any], before: RandomState, *, exact: bool = False) -> Outcome:
    import torch

    before.put_back()
    return ran(function, tuple(copied(list(inputs), [], dtype=torch.float64 if exact else None)), {})
