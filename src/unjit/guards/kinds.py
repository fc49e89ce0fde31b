"""The kinds of guards: torch names them by its classes, the model without the suffix that some of these have."""

from __future__ import annotations

from typing import Final

RELATIONS: Final = frozenset({"NO_TENSOR_ALIASING", "OBJECT_ALIASING", "STORAGE_OVERLAPPING", "SYMBOLIC_SHAPE"})
"""The kinds of guards that are about several values, as the model calls them."""


def kind_of(leaf: str) -> str:
    """The kind of a guard, by the class of torch's leaf: `SYMBOLIC_SHAPE` for `SYMBOLIC_SHAPE_GUARD`."""
    return leaf.removesuffix("_GUARD")
