"""The tensors, arrays and numbers in a value, each with the expression that reaches it."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Mapping
from typing import Any

_PLAIN = (int, float, complex, str, bytes, bool, type(None))


def leaves(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Every tensor, array of numpy's and plain value in containers and dataclasses; other objects are passed over."""
    import torch

    work, seen = [(name, value)], set[int]()
    while work:
        path, found = work.pop()
        if isinstance(found, (torch.Tensor, *_PLAIN)) or is_array(found):
            yield path, found
        elif id(found) not in seen:
            seen.add(id(found))
            work += reversed(list(_parts(found, path)))


def _parts(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from ((f"{path}[{key!r}]", part) for key, part in value.items())
    elif isinstance(value, (list, tuple)):
        yield from ((f"{path}[{index}]", part) for index, part in enumerate(value))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from ((f"{path}.{field.name}", getattr(value, field.name)) for field in dataclasses.fields(value))


def is_array(value: Any) -> bool:
    """Whether it is an array of numpy's, or one of its scalars."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic))


def tensors(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The tensors alone."""
    import torch

    return ((path, leaf) for path, leaf in leaves(value, name) if isinstance(leaf, torch.Tensor))
