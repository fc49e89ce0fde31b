"""What a tensor is, and what several are to each other; the same for dicts that carry a version."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from unjit.guards.runtime.values import has_attribute
from unjit.torch_private.guard_trees import state

ANY = None  # a size or stride that may have any value


def is_tensor_like(
    value: Any,
    *,
    dtype: Any,
    shape: Sequence[int | None],
    stride: Sequence[int | None],
    requires_grad: bool,
    device: str | None = None,
    keys: str | None = None,
    index: int | None = None,
    kind: type | int | None = None,
) -> bool:
    """Whether `value` is a tensor with these properties; ANY in `shape` or `stride` stands for any number.

    `device` stands for an ordinary tensor there. For every other (a subclass, an inference tensor, a sparse one) `keys`
    names its dispatch keys and `index` its device's number. `kind` is its class, if not torch.Tensor, or its address.
    """
    if kind is None:
        import torch

        kind = torch.Tensor
    if id(type(value)) != (kind if isinstance(kind, int) else id(kind)):
        return False
    if device is not None:
        place, _, number = device.partition(":")
        keys, index = ordinary_keys(place), int(number) if number else None
    return (
        state.dispatch_keys(value) == state.keys_named(keys or "")
        and value.dtype == dtype
        and value.device.index == index
        and value.requires_grad == requires_grad
        and _fits(value.shape, shape)
        and _fits(value.stride(), stride)
    )


@functools.cache
def ordinary_keys(place: str) -> str:
    """The dispatch keys of an ordinary tensor on a kind of device."""
    backend = {"cpu": "CPU", "cuda": "CUDA", "mps": "MPS", "xpu": "XPU", "meta": "Meta"}[place]
    return f"{backend}, BackendSelect, ADInplaceOrView, Autograd{backend}"


def _fits(numbers: Sequence[int], expected: Sequence[int | None]) -> bool:
    return len(numbers) == len(expected) and all(
        want is None or want == have for want, have in zip(expected, numbers, strict=True)
    )


def unmarked(tensor: object, *names: str) -> bool:
    """Whether no dimension is marked in these ways; without names: by mark_dynamic, mark_static or their like."""
    return not any(has_attribute(tensor, name) for name in names or (state.MARKED,))


def marked_within(tensor: object, name: str, dimensions: set[int]) -> bool:
    """Whether no other dimension than these is marked in this way."""
    return not has_attribute(tensor, name) or set(getattr(tensor, name)).issubset(dimensions)


def are_different(*values: object) -> bool:
    """Whether no two of these are the same object."""
    return len(set(map(id, values))) == len(values)


def memory_is_shared(shared: Sequence[Any], apart: Sequence[Any]) -> bool:
    """Whether of all these tensors exactly the first ones may overlap in memory."""
    return state.overlapping([*shared, *apart]) == set(range(len(shared)))


def dispatch_keys_are(value: Any, names: str) -> bool:
    """Whether a set of dispatch keys is this one."""
    return state.effective(value) == state.keys_named(names)


def dict_unchanged(value: object, version: int) -> bool:
    """Whether a dict was not changed since its version had this number."""
    return isinstance(value, dict) and state.dict_version(value) == version
