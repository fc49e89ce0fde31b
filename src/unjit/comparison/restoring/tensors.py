"""A tensor as it is now, remembered so that it can be put back in place: values, attributes, its part in autograd."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any, Final

from unjit.comparison.runs.room import bytes_of, check_room
from unjit.comparison.values.without_values import cloned, is_freed, size_of_memory

_WORDS: Final = {1: "uint8", 2: "int16", 4: "int32", 8: "int64"}  # bits without a meaning, by their bytes


class Remembered:
    """What a tensor is now. Its gradient is somebody else's care."""

    def __init__(self, tensor: Any) -> None:
        self.values = _copy(tensor)
        self._size = size_of_memory(tensor)
        self._tensor = tensor
        self._is_leaf = tensor.is_leaf
        self._requires_grad = tensor.requires_grad
        self._attributes = _attributes(tensor)

    def put_back(self) -> None:
        """As it was."""
        tensor = self._tensor
        if self._size and is_freed(tensor):
            tensor.untyped_storage().resize_(self._size)
        _overwrite(tensor, self.values)
        if self._is_leaf:
            _make_leaf(tensor, self._requires_grad)
        for name in _attributes(tensor).keys() - self._attributes.keys():
            delattr(tensor, name)
        vars(tensor).update(self._attributes)


def _overwrite(tensor: Any, values: Any) -> None:
    """Write values into a tensor without autograd's notice: a backward that the program has yet to run may need it.

    Not where it has them: it may lie in a file that is mapped for reading alone, where to write ends the process.
    """
    import torch

    if has_values(tensor, values):
        return
    if (tensor.shape, tensor.dtype, tensor.device) != (values.shape, values.dtype, values.device):
        tensor.data = values.clone()  # a run has put another one in its place
        return
    with torch.inference_mode() if tensor.is_inference() else torch.no_grad():
        tensor.data.copy_(values)


def _copy(tensor: Any) -> Any:
    """A clone. Raises UnjitError where there is no memory for a large one, or there are no values."""
    check_room(bytes_of([tensor]), "a copy of a tensor that the call may change")
    return cloned(tensor)


def copies_of(named: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Copies of those of torch's own class and of the usual layout, by name."""
    import torch

    found = ((name, tensor.detach()) for name, tensor in named)
    return {
        name: _copy(tensor)
        for name, tensor in found
        if type(tensor) is torch.Tensor and tensor.layout is torch.strided and not tensor.is_nested
    }


def parts_of(tensor: Any) -> dict[str, Any]:
    """The tensors in which one of a subclass, as of quantized weights, has its values, by name; none of any other.

    Such a subclass tells them to the compiler, and may know no other operations than those its authors use. Among them
    may be what is no tensor: the mesh of a DTensor.
    """
    import torch

    flatten = getattr(tensor, "__tensor_flatten__", None)
    parts = {} if flatten is None else {name: getattr(tensor, name) for name in flatten()[0]}
    return {name: part for name, part in parts.items() if isinstance(part, torch.Tensor)}


def has_values(tensor: Any, values: Any) -> bool:
    """Whether a tensor has these values to the bit; False of those of which torch cannot tell."""
    import torch

    one, other = tensor.detach(), values
    if type(one) is not torch.Tensor or (one.shape, one.dtype, one.device) != (other.shape, other.dtype, other.device):
        return False
    if is_freed(one):
        return False
    if one.is_complex():
        one, other = torch.view_as_real(one.resolve_conj()), torch.view_as_real(other.resolve_conj())
    with contextlib.suppress(Exception):  # sparse, on no device, or within a mode of the program's own
        if one.is_quantized:  # of bits that torch takes for quantized ones it may end the process
            return torch.equal(one, other)
        word = getattr(torch, _WORDS[one.element_size()])
        return torch.equal(one.view(word), other.view(word))
    return False


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
