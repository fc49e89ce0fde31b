"""A capture passed on piece by piece: the compiles of a function, one after the other, then the rest of the function.

Neither who passes it on nor who listens needs more than one compile in memory.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Protocol

from unjit.model import Capture, CapturedCompile, Compile, Entry, Function, Maybe, Unknown


class Listener(Protocol):
    """What a capture is passed on to."""

    def take_compile(self, compile_: CapturedCompile, entries: tuple[Entry, ...]) -> None:
        """One compile, with the entries that it made, of the function that comes next."""

    def take_function(self, rest: Function) -> None:
        """The function of the compiles since the last; it has those of its entries and compiles that were not told."""


def tell(capture: Capture, *listeners: Listener) -> None:
    """Pass on a capture that is in memory, in its order."""
    of_function: dict[str, list[CapturedCompile]] = {}
    for one in capture.compiles:
        of_function.setdefault(one.function, []).append(one)
    for function in capture.report.functions:
        for listener in listeners:
            _tell(function, of_function.get(function.key, []), listener)


def _tell(function: Function, compiles: list[CapturedCompile], listener: Listener) -> None:
    made: dict[object, tuple[Entry, ...]] = {one.compile.compile_id: () for one in compiles}
    for entry in function.entries:
        if entry.compile_id in made:
            made[entry.compile_id] += (entry,)
    for one in compiles:
        listener.take_compile(one, made[one.compile.compile_id])
    entries = tuple(entry for entry in function.entries if entry.compile_id not in made)
    listener.take_function(replace(function, entries=entries, compiles=_besides(function.compiles, made)))


def _besides(compiles: Maybe[tuple[Compile, ...]], told: Collection[object]) -> Maybe[tuple[Compile, ...]]:
    if isinstance(compiles, Unknown):
        return compiles
    return tuple(one for one in compiles if one.compile_id not in told)
