"""A tensor as it is now, remembered so that it can be put back in place: values, attributes, its part in autograd."""

from __future__ import annotations

import contextlib
from typing import Any

from unjit.comparison.undoing import Undo


def tensor_undone(tensor: Any) -> Undo:
    """Its gradient is somebody else's care."""
    values, is_leaf, requires_grad = tensor.detach().clone(), tensor.is_leaf, tensor.requires_grad
    held = _attributes(tensor)

    def undo() -> None:
        _overwrite(tensor, values)
        if is_leaf:
            _make_leaf(tensor, requires_grad)
        for name in _attributes(tensor).keys() - held.keys():
            delattr(tensor, name)
        vars(tensor).update(held)

    return undo


def _overwrite(tensor: Any, values: Any) -> None:
    """Write values into a tensor without autograd's notice: a backward that the program has yet to run may need it."""
    import torch

    if (tensor.shape, tensor.dtype, tensor.device) != (values.shape, values.dtype, values.device):
        tensor.data = values.clone()  # a run has put another one in its place
        return
    with torch.inference_mode() if tensor.is_inference() else torch.no_grad():
        tensor.data.copy_(values)


def _make_leaf(tensor: Any, requires_grad: bool) -> None:
    """Have it be one again that was: what is written into it in place by a differentiated run makes it a result."""
    if not tensor.is_leaf:
        with contextlib.suppress(RuntimeError):  # a view cannot be cut off in place
            tensor.detach_()
    if tensor.is_leaf and tensor.requires_grad is not requires_grad:
        tensor.requires_grad_(requires_grad)


def _attributes(tensor: Any) -> dict[str, Any]:
    """Without names that begin with an underscore: torch notes things there, and goes by them later."""
    return {name: held for name, held in vars(tensor).items() if not name.startswith("_")}
