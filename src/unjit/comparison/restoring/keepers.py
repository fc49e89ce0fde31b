"""What may keep something from one run of a call to the next, besides what the function reaches.

A backend of the program's, or a pass, may note each graph that it compiles, and a hook or a mode each operation that
runs. A graph that was compiled ahead of time may record a CUDA graph when it first runs, with the memory of that run's
inputs: had a comparison run it first, the program would replay its copies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from unjit.comparison.restoring.reached import Reached
from unjit.torch_private.calling.called_around import called_around
from unjit.torch_private.calling.called_in_compiles import called_in_compiles
from unjit.torch_private.calling.compiled_calls import Ahead


def keepers_of(backends: Iterable[Any], ahead: Ahead | None) -> list[Any]:
    """The backends that are compared, what is called in a compile or around a run, and graphs compiled already."""
    compiling = [part for backend in backends for part in _with_parts(backend)]
    return [*compiling, *called_in_compiles(), *_around(), *(ahead.graphs if ahead is not None else ())]


@contextmanager
def around_as_before() -> Iterator[None]:
    """What hooks and modes have noted is as before the block: they also see what a comparison itself asks of torch."""
    reached = Reached.of(_around(), set())
    try:
        yield
    finally:
        reached.put_back_all()


def _around() -> list[Any]:
    return [part for keeper in called_around() for part in _with_parts(keeper)]


def _with_parts(keeper: Any) -> list[Any]:
    """It, and what one of torch's own holds: the counts of a mode, the function that a backend was given."""
    parts = _held_by(keeper)
    return [keeper, *parts, *(inner for part in parts for inner in _held_by(part))]


def _held_by(value: Any) -> list[Any]:
    """What an object of torch's holds; those of the program's are looked into anyway."""
    is_torchs = type(value).__module__.partition(".")[0] == "torch"
    return list(vars(value).values()) if is_torchs and hasattr(value, "__dict__") else []
