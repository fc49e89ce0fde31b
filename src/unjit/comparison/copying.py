"""Copies of inputs, one for each run."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from unjit.comparison.leaves import tensors


def copied(value: Any, kept: Sequence[Any], *, dtype: Any = None) -> Any:
    """A deep copy, in which tensors that share memory share it again; the objects in `kept` stand for themselves.

    With `dtype`, floating-point tensors become of that type (and share no memory). Raises what copying a user's object
    raises.
    """
    memo: dict[int, Any] = {id(found): found for found in kept}
    for _, tensor in tensors(value, ""):
        memo.update((id(found), found) for found in _lengths(tensor))
        if dtype is not None and tensor.is_floating_point():
            memo[id(tensor)] = tensor.detach().to(dtype).requires_grad_(tensor.requires_grad)
        elif not tensor.is_leaf:  # torch copies leaves only; what made this one is none of the function's business
            memo[id(tensor)] = tensor.detach().clone().requires_grad_(tensor.requires_grad)
    return copy.deepcopy(value, memo)


def _lengths(tensor: Any) -> list[Any]:
    """What says how long the parts of a jagged tensor are.

    By its identity torch knows which tensors go together; a copy of it would part those that did, and their shapes.
    """
    if str(tensor.layout) != "torch.jagged":
        return []
    return [found for found in (tensor.offsets(), tensor.lengths()) if found is not None]
