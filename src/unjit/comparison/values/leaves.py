"""The tensors, arrays and plain values in a value, each with the expression that reaches it."""

from __future__ import annotations

import dataclasses
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any, Final

_PLAIN = (int, float, complex, str, bytes, bool, type(None))
_AWAITED: Final = "AsyncCollectiveTensor"
_UNSET = object()  # in place of a field that nobody has given a value


def leaves(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Every tensor, array of numpy's, plain value and set of those, in containers and attributes of objects.

    Modules are passed over, and what has no attributes of its own.
    """
    return ((path, found) for path, found in _walked(value, name) if _is_leaf(found))


def classes(value: Any, name: str) -> Iterator[tuple[str, str]]:
    """The class of each tensor, container and object on the way to the leaves.

    What a collective gives in eager waits for its values when it is first used, and is a tensor to the program.
    """
    kinds = ((path, type(found).__qualname__) for path, found in _walked(value, name) if not isinstance(found, _PLAIN))
    return ((path, "Tensor" if kind == _AWAITED else kind) for path, kind in kinds)


def _always(_value: Any) -> bool:
    return True


def _walked(value: Any, name: str, follow: Callable[[Any], bool] = _always) -> Iterator[tuple[str, Any]]:
    work, seen = [(name, value)], set[int]()
    while work:
        path, found = work.pop()
        if _is_leaf(found):
            yield path, frozenset(found) if isinstance(found, set) else found
        elif id(found) not in seen:
            yield path, found
            if not _is_flat_tuple(found):
                seen.add(id(found))
            work += reversed(list(_parts(found, path))) if follow(found) else ()


def _is_flat_tuple(value: Any) -> bool:
    """Whether it counts wherever it is held: one tuple in two places and two that are alike are the same to anybody."""
    return isinstance(value, tuple) and all(map(_is_leaf, value))


def _is_leaf(value: Any) -> bool:
    import torch

    if isinstance(value, (set, frozenset)):
        return all(isinstance(item, _PLAIN) for item in value)
    return isinstance(value, (torch.Tensor, torch.dtype, torch.device, *_PLAIN)) or is_array(value)


def _parts(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from ((f"{path}[{key!r}]", part) for key, part in value.items())
    elif isinstance(value, (list, tuple, deque)):
        yield from ((f"{path}[{index}]", part) for index, part in enumerate(value))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = ((field.name, getattr(value, field.name, _UNSET)) for field in dataclasses.fields(value))
        yield from ((f"{path}.{name}", part) for name, part in parts if part is not _UNSET)
    elif _is_object(value):
        yield from ((f"{path}.{key}", part) for key, part in list(vars(value).items()))


def _is_object(value: Any) -> bool:
    """Whether its attributes are what it holds: not of classes, functions, modules of Python and of torch."""
    import torch

    others = (type, FunctionType, ModuleType, torch.nn.Module, torch.optim.Optimizer)
    return not isinstance(value, others) and isinstance(getattr(value, "__dict__", None), dict)


def is_array(value: Any) -> bool:
    """Whether it is an array of numpy's, or one of its scalars."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic))


def tensors(value: Any, name: str, *, follow: Callable[[Any], bool] = _always) -> Iterator[tuple[str, Any]]:
    """The tensors alone, without those within what is not to be followed."""
    import torch

    return ((path, leaf) for path, leaf in _walked(value, name, follow) if isinstance(leaf, torch.Tensor))
