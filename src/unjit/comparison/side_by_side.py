"""A captured graph and what was made of it, on copies of the same inputs and from the same random state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from unjit.comparison.copying import copied
from unjit.comparison.differences import parted
from unjit.comparison.leaves import leaves
from unjit.comparison.randomness import RandomState, drew_alike
from unjit.comparison.state import Outcome, ran
from unjit.model import Difference
from unjit.torch_private.cache.backends import plain_autograd


def side_by_side(
    graph: Any, made: Any, inputs: Sequence[Any], before: RandomState, *, may_raise: bool, narrowest: str | None
) -> tuple[list[Difference], Outcome]:
    """How what was made differs from the graph, held against float64 where that can be run; and what it gave.

    Leaves the random state behind the last run. Raises what copying the inputs raises, and what the graph raises unless
    it `may_raise` because the program does: what torch cannot run as captured is no measure. `narrowest` is the
    type that the graph computes in, if that is half as exact as usual.
    """
    expected = _ran(graph, inputs, before)
    if expected.error is not None and not may_raise:
        raise expected.error
    found = _ran(made, inputs, before)
    quiet = getattr(graph, "forward", graph)  # called as a module, a graph prints what it raises
    exact = _ran(quiet, inputs, before, exact=True)
    reference = dict(exact.values) if drew_alike(before, expected.random, exact.random) else {}
    return list(parted(expected, found, reference, narrowest)), found


def _ran(function: Any, inputs: Sequence[Any], before: RandomState, *, exact: bool = False) -> Outcome:
    import torch

    before.put_back()
    given = copied(list(inputs), [], dtype=torch.float64 if exact else None)
    held = list(leaves(given, "args"))  # found before the run: a list that a graph takes may be emptied for its memory
    with plain_autograd():
        found = ran(lambda: function(*given), (), {}, held)
    return replace(found, classes={})  # a compiler may give a list where the graph gives a tuple
