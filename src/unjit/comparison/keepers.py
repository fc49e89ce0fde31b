"""What may keep something from one run of a call to the next, besides what the function reaches.

A backend of the program's, or a pass, may note each graph that it compiles. A graph that was compiled ahead of time may
record a CUDA graph when it first runs, with the memory of that run's inputs: had a comparison run it first, the program
would replay its copies.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from unjit.torch_private.calling.called_in_compiles import called_in_compiles
from unjit.torch_private.calling.compiled_calls import Ahead


def keepers_of(backends: Iterable[Any], ahead: Ahead | None) -> list[Any]:
    """The backends that are compared, what else is called in a compile, and the graphs that are compiled already."""
    parts = [part for backend in backends for part in _parts_of(backend)]
    return [*parts, *called_in_compiles(), *(ahead.graphs if ahead is not None else ())]


def _parts_of(backend: Any) -> list[Any]:
    """A backend, and what one that torch made for the program holds: options, and the function that it was given."""
    parts = _held_by(backend)
    return [backend, *parts, *(inner for part in parts for inner in _held_by(part))]


def _held_by(value: Any) -> list[Any]:
    """What an object of torch's holds; those of the program's are looked into anyway."""
    is_torchs = type(value).__module__.partition(".")[0] == "torch"
    return list(vars(value).values()) if is_torchs and hasattr(value, "__dict__") else []
