"""Tensors that have a shape and no values: whoever reads one reads where nothing is, which ends the process.

Torch's fake tensors are such, and those whose memory the program has given back until it needs them again, by
`untyped_storage().resize_(0)`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from unjit.errors import UnjitError
from unjit.torch_private.calling.fake import is_fake, keeps_no_values, makes_fakes


def check_values(named: Iterable[tuple[str, Any]]) -> None:
    """Raises UnjitError that names the first such tensor, and where all that is computed now would be such."""
    if makes_fakes():
        raise UnjitError("torch computes shapes alone now, as in its FakeTensorMode: there are no values to compare")
    for name, tensor in named:
        _check(tensor, name)


def cloned(tensor: Any) -> Any:
    """A clone without what it was computed from. Raises UnjitError if there is nothing to read."""
    _check(tensor, "a tensor")
    return tensor.detach().clone()


def size_of_memory(tensor: Any) -> int | None:
    """Bytes of what it shares with its views; None of what has no memory of its own, as a DTensor.

    Nor has a parameter that its module makes at its first call. Of quantized values, of which several may be in a byte,
    and of nested tensors nothing is said.
    """
    has_none = keeps_no_values(tensor) or hasattr(tensor, "materialize") or tensor.device.type == "meta"
    if has_none or tensor.is_nested or tensor.is_quantized:
        return None
    try:
        return int(tensor.untyped_storage().nbytes())
    except (RuntimeError, NotImplementedError):  # sparse, or within a transform of torch.func
        return None


def is_freed(tensor: Any) -> bool:
    """Whether less memory is left than its values take."""
    size = size_of_memory(tensor)
    if size is None or tensor.numel() == 0:
        return False
    return bool(size < end_in_memory(tensor) * tensor.element_size())


def end_in_memory(tensor: Any) -> int:
    """Where in its memory the last of its values ends, in elements; of one that has values."""
    last = sum((length - 1) * stride for length, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return int(tensor.storage_offset() + last + 1)


def _check(tensor: Any, name: str) -> None:
    if is_freed(tensor):
        raise UnjitError(f"{name} has no values to compare: its memory is given back for now")
    if is_fake(tensor):
        raise UnjitError(f"{name} has no values to compare: it is a fake tensor of torch's")
