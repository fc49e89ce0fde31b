"""Which results share memory with what a call was given: a change of one is then one of the other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def views(results: Iterable[tuple[str, Any]], given: Iterable[tuple[str, Any]]) -> dict[str, str]:
    """By the name of each result that does, the name of what it shares memory with, the first of several."""
    owners: dict[int, str] = {}
    for name, leaf in given:
        address = memory_of(leaf)
        if address is not None:
            owners.setdefault(address, name)
    found = ((name, memory_of(leaf)) for name, leaf in results)
    return {name: owners[address] for name, address in found if address is not None and address in owners}


def memory_of(leaf: Any) -> int | None:
    """Where the memory of a tensor begins; None for what has none, or none of its own."""
    import torch

    if not isinstance(leaf, torch.Tensor) or leaf.numel() == 0:
        return None
    try:
        return leaf.untyped_storage().data_ptr() or None
    except Exception:  # a sparse one, or one of a class that keeps others
        return None
