"""Steps from a value to what is in it, as Dynamo takes them: past what a class of the program's makes of them."""

from __future__ import annotations

import copy
import itertools
import weakref
from types import MappingProxyType
from typing import Any

from unjit.torch_private.guard_trees import state


def item(value: Any, key: object) -> Any:
    """The item of a dict, past what its class makes of `[]` and of missing keys."""
    known = plain(value)
    if not known.__contains__(key):
        raise KeyError(key)
    return known.__getitem__(key)


class _PlainDict:
    """A dict read as `dict` itself reads it."""

    def __init__(self, value: dict[Any, Any]) -> None:
        self.value = value

    def __contains__(self, key: object) -> bool:
        return dict.__contains__(self.value, key)

    def __getitem__(self, key: object) -> Any:
        return dict.__getitem__(self.value, key)


def plain(value: Any) -> Any:
    """A dict as `dict` itself reads it. TypeError for everything else."""
    if isinstance(value, dict):
        return value if type(value) is dict else _PlainDict(value)
    if isinstance(value, MappingProxyType):
        return value
    raise TypeError(f"a dict was expected, not {type(value).__name__}")


def key_at(value: dict[Any, Any], index: int) -> Any:
    """The key at this place in the order of the dict."""
    return next(itertools.islice(dict.keys(value), index, None))


def value_at(value: dict[Any, Any], index: int) -> Any:
    """The value at this place in the order of the dict."""
    return dict.__getitem__(value, key_at(value, index))


def referent(value: object) -> Any:
    """What a weak reference refers to; None if that is gone. TypeError for everything else."""
    if not isinstance(value, weakref.ReferenceType):
        raise TypeError(f"a weak reference was expected, not {type(value).__name__}")
    return value()


def rest_of(iterator: object) -> tuple[Any, ...]:
    """What an iterator over a tuple would still give; it is not moved."""
    return tuple(copy.copy(iterator)) if type(iterator) is type(iter(())) else ()


def range_left(iterator: Any) -> tuple[int, int, int]:
    """Where an iterator over a range goes on, where it stops, and its step; it is not moved."""
    if type(iterator) is not type(iter(range(0))):
        raise TypeError(f"an iterator over a range was expected, not {type(iterator).__name__}")
    _, (numbers,), position = (*iterator.__reduce__(), None)[:3]
    start = numbers.start + (position or 0) * numbers.step
    return start, numbers.start + len(numbers) * numbers.step, numbers.step


def count_left(iterator: Any) -> tuple[Any, Any]:
    """The next number and the step of an itertools.count; it is not moved."""
    if type(iterator) is not itertools.count:
        raise TypeError(f"an itertools.count was expected, not {type(iterator).__name__}")
    first = copy.copy(iterator)
    start = next(first)
    return start, next(first) - start


def gradient(tensor: Any) -> Any:
    """The gradient of a tensor. TypeError for everything else."""
    import torch

    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"a tensor was expected, not {type(tensor).__name__}")
    return tensor.grad


def dataclass_fields(value: Any) -> Any:
    """The fields of a dataclass, as Dynamo counts them."""
    return state.dataclass_fields(value)


def as_tensor(value: Any) -> Any:
    """A NumPy array as a tensor; everything else as it is."""
    return state.from_numpy(value)


def float_tensor(value: Any) -> Any:
    """A number as a tensor of full precision."""
    return state.float_tensor(value)


def function_mode(index: int) -> Any:
    """The torch function mode at this place of the stack."""
    return state.function_modes()[index]


def current_stream(kind: str, index: int | None) -> Any:
    """The stream that a device works on, as in `current_stream("cuda", 0)`."""
    import torch

    return torch.accelerator.current_stream(torch.device(kind) if index is None else torch.device(kind, index))
