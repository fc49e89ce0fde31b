"""The lines of the program that the nodes of a graph came from, with those whose calls led there.

The text of a graph names one line for each node; the graph has them all.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from unjit.model import CallLine, Name, Place
from unjit.observe.messages import places_in
from unjit.torch_private.printed_graphs import stacks_of_nodes


def call_lines(graph: Any) -> tuple[CallLine, ...]:
    """The lines that called others and those they called; a line that nothing called and that called nothing is not."""
    numbers: dict[tuple[Place, ...], int] = {}
    nodes: list[list[Name]] = []
    read = cache(lambda text: tuple(places_in(text)))
    for name, text in stacks_of_nodes(graph):
        stack: tuple[Place, ...] = read(text)
        if len(stack) < 2:
            continue
        for depth in range(1, len(stack) + 1):
            if stack[:depth] not in numbers:
                numbers[stack[:depth]] = len(nodes)
                nodes.append([])
        nodes[numbers[stack]].append(Name(name))
    return tuple(
        CallLine(stack[-1], numbers.get(stack[:-1]), tuple(nodes[number])) for stack, number in numbers.items()
    )
