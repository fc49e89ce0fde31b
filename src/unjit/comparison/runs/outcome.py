"""One run: all that it gave and changed, or what it raised."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from unjit.comparison.restoring.randomness import RandomState
from unjit.comparison.restoring.tensors import has_values
from unjit.comparison.runs.room import check_memory_lasted
from unjit.comparison.runs.unfinished import check_finished
from unjit.comparison.values.leaves import classes, is_array, leaves
from unjit.comparison.values.shared_memory import views
from unjit.comparison.values.without_values import cloned
from unjit.errors import UnjitError
from unjit.model import Message
from unjit.model.words.wording import in_words
from unjit.torch_private.compiled_graphs.entered import left_again

_FREED: Final = "Trying to backward through the graph a second time"


@dataclass(frozen=True)
class Outcome:
    """All that a run gave and changed, as named leaves; or what it raised. With both, the backward pass raised it."""

    values: list[tuple[str, Any]]
    random: RandomState  # where it left the generators
    error: BaseException | None = None
    classes: Mapping[str, str] = field(default_factory=dict)  # of what the program gives back; of graphs, nothing
    views: Mapping[str, str] = field(default_factory=dict)  # which of that shares memory with what it was given


def ran(
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    held: Sequence[tuple[str, Any]] = (),
    before: Mapping[str, Any] = MappingProxyType({}),
) -> Outcome:
    """Call, go backward where there are gradients, and note everything that can be seen afterwards.

    Context variables that the function sets are as before then: the call has a context of its own.
    `held` are tensors that the function may change besides its arguments. Of what it does not change what stands in
    `before`, by the same names, is noted, and no copy made: models may be as large as memory. Raises NoRoom where
    memory ran out, and UnjitError where what it gave cannot be looked through or has yet to be computed: these are no
    errors of the program's.
    """
    try:
        with left_again():
            result = copy_context().run(function, *args, **kwargs)
    except Exception as error:
        check_memory_lasted(error)
        return Outcome([], RandomState.now(), error)
    check_finished(result)
    try:
        outputs = list(leaves(result, "result"))
        inputs = [*leaves(list(args), "args"), *leaves(kwargs, "kwargs")]
        shared = views(outputs, [*inputs, *held])
        kinds = dict(classes(result, "result"))
    except Exception as error:
        raise UnjitError(f"what the function gave cannot be looked through ({in_words(error)})") from error
    gradients = _gradients([*inputs, *held])
    failed = _went_backward([leaf for _, leaf in outputs])
    values = [(name, _kept(leaf)) for name, leaf in outputs]
    values += [(f"{name} after the call", _afterwards(leaf, before.get(name))) for name, leaf in (*inputs, *held)]
    values += _gradients([*inputs, *held]) if failed is None else gradients
    return Outcome(values, RandomState.now(), None if _went_before(failed) else failed, classes=kinds, views=shared)


def told_error(outcome: Outcome) -> Message | None:
    """What a run raised, and where it did so when it was not in the call."""
    if outcome.error is None:
        return None
    return Message(in_words(outcome.error) + (" (in the backward pass from its results)" if outcome.values else ""))


def _went_backward(outputs: list[Any]) -> Exception | None:
    """Go backward; gives the error if there is one. How far eager and compiled code came before it may differ."""
    try:
        backward(outputs)
    except Exception as error:
        check_memory_lasted(error)
        return error
    return None


def _went_before(error: Exception | None) -> bool:
    """Whether going backward failed because the function did so itself, as a training step does that gives its loss."""
    return isinstance(error, RuntimeError) and str(error).startswith(_FREED)


def _gradients(leaves: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Copies: one that is a view of a bucket, as those of DDP may be, is written over by the next run."""
    return [(f"gradient of {name}", _kept(leaf.grad)) for name, leaf in leaves if _has_gradient(leaf)]


def backward(outputs: list[Any]) -> None:
    """Backward from every output that has a gradient, with the same weights in every run."""
    import torch

    found = [leaf for leaf in outputs if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    roots = [root for leaf in found for root in (leaf.unbind() if leaf.is_nested else [leaf])]
    if roots:
        weights = [torch.linspace(0.5, 1.5, root.numel()).view(root.shape).to(root) for root in roots]
        torch.autograd.backward(roots, weights)


def _has_gradient(leaf: Any) -> bool:
    return getattr(leaf, "is_leaf", False) and getattr(leaf, "grad", None) is not None


def _afterwards(leaf: Any, before: Any) -> Any:
    """The value as it is now, or the one before where that is the same; a run in float64 may begin in another type."""
    with contextlib.suppress(Exception):  # of no tensors, or of a class of the program's own
        if has_values(leaf, before.to(leaf.dtype)):
            return before
    return _kept(leaf)


def _kept(leaf: Any) -> Any:
    """The value as it is now: later runs may change the tensor or array."""
    if is_array(leaf):
        return leaf.copy()
    return cloned(leaf) if hasattr(leaf, "detach") else leaf
