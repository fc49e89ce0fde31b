"""The lines of the program that the nodes of a graph came from, with those whose calls led there.

The text of a graph names one line for each node; the graph has them all.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from unjit.model import CallLine, Name, Place
from unjit.model.words.stack_text import places_in
from unjit.torch_private.compiled_graphs.printed_graphs import stacks_of_nodes

_MOST_KNOWN = 1_000  # stacks: the graphs of one compile have mostly the same


class CallLines:
    """The lines behind graphs. A line that nothing called and that called nothing is not told."""

    def __init__(self) -> None:
        self._read = lru_cache(_MOST_KNOWN)(lambda text: tuple(places_in(text)))

    def of(self, graph: Any) -> tuple[CallLine, ...]:
        """The lines that called others and those they called."""
        numbers: dict[tuple[int | None, Place], int] = {}  # by the number of the line that called it
        nodes: list[list[Name]] = []
        ends: dict[str, int | None] = {}  # the number of the innermost line of each stack
        for name, text in stacks_of_nodes(graph):
            if text not in ends:
                ends[text] = self._number(text, numbers)
                nodes += ([] for _ in range(len(numbers) - len(nodes)))
            end = ends[text]
            if end is not None:
                nodes[end].append(Name(name))
        return tuple(
            CallLine(place, caller, tuple(names)) for (caller, place), names in zip(numbers, nodes, strict=True)
        )

    def _number(self, text: str, numbers: dict[tuple[int | None, Place], int]) -> int | None:
        """The number of the innermost line of a stack, after all lines above it have theirs; None where it is alone."""
        stack: tuple[Place, ...] = self._read(text)
        number: int | None = None
        for place in stack if len(stack) > 1 else ():
            number = numbers.setdefault((number, place), len(numbers))
        return number
