"""A value in a few words, whatever class it is of.

All but the name of a function is asked of the class: an object may answer for itself when it is asked for an attribute,
`__class__` included, run code of the program's, or raise.
"""

from __future__ import annotations

import enum
import reprlib
from collections.abc import Callable
from types import CodeType
from typing import Any

from unjit.guards.values import member_name
from unjit.model.words.wording import with_article

_PLAIN = (type(None), bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset)
_CONSTANTS = {"dtype", "device", "layout", "memory_format"}  # of torch, which read as they are written


def shown(value: Any) -> str:
    """A short repr; of tensors, modules and whatever fails to have one, the class and what can be told of it."""
    kind = type(value)
    if is_tensor(value):
        return f"{with_article(kind.__name__)} of {value.dtype}, shape {property_of_tensor(value, 'shape')}"
    if issubclass(kind, _PLAIN):
        try:
            return reprlib.repr(value)
        except Exception:  # of a subclass of the program's own
            return with_article(kind.__name__)
    if kind.__module__ == "torch" and kind.__name__ in _CONSTANTS:
        return repr(value)
    if issubclass(kind, enum.Enum):
        return member_name(value)
    if issubclass(kind, CodeType):
        return f"the code of {getattr(value, 'co_qualname', value.co_name)}"  # 3.11
    name = _qualified_name(value)
    if name is not None and issubclass(kind, type):
        return f"the class {name}"
    return with_article(kind.__name__) if name is None else f"the {kind.__name__} {name}"


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor, of whatever class: told by name, as a program may put something else there."""
    return any((kind.__module__, kind.__name__) == ("torch", "Tensor") for kind in type(value).__mro__)


def property_of_tensor(tensor: Any, name: str) -> Any:
    """A property of a tensor as a guard has it; in words where the tensor has none, as a sparse one has no strides."""
    try:
        return _PROPERTIES[name](tensor)
    except Exception as error:
        return f"none ({type(error).__name__})"


_COO = "torch.sparse_coo"  # of which torch says strides of 0
_PROPERTIES: dict[str, Callable[[Any], Any]] = {
    "dtype": lambda tensor: str(tensor.dtype),
    "shape": lambda tensor: tuple(tensor.shape),
    "stride": lambda tensor: tuple(tensor.stride()) if str(tensor.layout) != _COO else f"none ({_COO})",
    "requires_grad": lambda tensor: tensor.requires_grad,
    "device": lambda tensor: str(tensor.device),
    "index": lambda tensor: tensor.device.index,
}


def _qualified_name(value: Any) -> str | None:
    """The qualified name of a function, class or whatever else has one; None for anything else."""
    try:
        name = value.__qualname__
    except Exception:  # it has none, or is an object of the program's that raises whatever it likes
        return None
    return name if type(name) is str else None
