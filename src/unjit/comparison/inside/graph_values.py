"""What a graph computes node by node, in its own types and in float64; and the user's line of a node."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from unjit.comparison.inside.unspecified import is_unspecified, specified
from unjit.comparison.restoring.randomness import RandomState, drew_alike
from unjit.comparison.runs.copying import copied
from unjit.comparison.runs.outcome import Outcome
from unjit.comparison.values.leaves import leaves
from unjit.model import Place
from unjit.model.words.stack_text import places_in
from unjit.torch_private.compiled_graphs.entered import left_again


@dataclass(frozen=True)
class Values:
    """One run of a graph, or of what was made of it."""

    nodes: dict[str, Any]  # values of nodes, as they were when they were made
    inputs: list[Any]  # as the run left them
    result: Any  # None for what no operation specifies
    random: RandomState  # where the run left the generators

    def outcome(self, before: Sequence[Any], expected: Values | None = None) -> Outcome:
        """The result, and the inputs that were changed: by the run, or by the one that was expected of it.

        Inputs that only this run wrote to are left out: a wrapper may use the memory of one that is needed no more.
        """
        changed = _changed(before, (expected or self).inputs)
        inputs = [(f"input {number} after the call", self.inputs[number]) for number in changed]
        return Outcome([*leaves(self.result, "result"), *inputs], self.random)


def _changed(before: Sequence[Any], after: Sequence[Any]) -> list[int]:
    import torch

    pairs = enumerate(zip(before, after, strict=True))
    return [number for number, (one, other) in pairs if isinstance(one, torch.Tensor) and not same_values(one, other)]


def same_values(one: Any, other: Any) -> bool:
    """Whether two tensors of one shape hold the same numbers, or nan in the same places."""
    one = one.to(other.dtype)
    return bool(((one == other) | one.isnan() & other.isnan()).all())


def values_of(graph: Any, inputs: Sequence[Any], wanted: Collection[str]) -> Values:
    """Interpret a graph on copies of the inputs; raises what it raises."""
    return _interpreted(graph, copied(list(inputs)), wanted, lambda value: value)


def exact_values(
    graph: Any, inputs: Sequence[Any], wanted: Collection[str], before: RandomState, expected: Values
) -> Values | None:
    """The same in float64, begun at `before`; None where the graph cannot be run so, or draws other numbers."""
    import torch
    from torch.fx.node import map_aggregate

    def widened(value: Any) -> Any:
        narrow = isinstance(value, torch.dtype) and value.is_floating_point
        return torch.float64 if narrow else value

    try:
        before.put_back()
        given = copied(list(inputs), dtype=torch.float64)
        found = _interpreted(graph, given, wanted, lambda value: map_aggregate(value, widened))
    except Exception:  # some operations have no float64 version, and there may be no memory for it
        return None
    return found if drew_alike(before, expected.random, found.random) else None


def _interpreted(graph: Any, inputs: list[Any], wanted: Collection[str], argument: Callable[[Any], Any]) -> Values:
    from torch.fx import Interpreter

    values: dict[str, Any] = {}

    class Noting(Interpreter):
        def fetch_args_kwargs_from_env(self, n: Any) -> Any:
            args, kwargs = super().fetch_args_kwargs_from_env(n)
            return argument(args), argument(kwargs)

        def run_node(self, n: Any) -> Any:
            result = super().run_node(n)
            if n.name in wanted and hasattr(result, "clone") and not is_unspecified(n):
                values[n.name] = result.clone()
            return result

    with left_again():
        result = Noting(graph).run(*inputs)
    return Values(values, inputs, specified(graph, result), RandomState.now())


def place_of(node: Any) -> Place | None:
    """The user's line that a node was captured from."""
    frames = places_in(getattr(node, "stack_trace", None) or "")
    return frames[-1] if frames else None
