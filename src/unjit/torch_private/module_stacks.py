"""Which module of the program each node of a graph came from, read while torch prints the graph for its trace.

The printed graph does not say it, and the graph is gone soon after. But the frame that writes the record has it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any, Final

from unjit.model import Expression, Maybe, Message, ModuleCall, Name, Unknown
from unjit.torch_private import probes, trace_probes

_GONE: Final = Unknown(Message("the graph was not at hand when torch printed it"))
_STACKS: Final = ("nn_module_stack", "fwd_nn_module_stack")  # the second is that of the forward, on nodes of a backward
Stack = tuple[tuple[str, str], ...]  # path and class of each module, outermost first


def modules_in_printed(text: str) -> Maybe[tuple[ModuleCall, ...]]:
    """The modules of the graph that is being printed as `text`; asked within the handler of torch's trace.

    A graph is taken for the one that is printed if the text has the names of all its nodes, in order.
    """
    graphs = [graph for graph in _graphs_at_hand() if _is_printed(graph, text)]
    if not graphs:
        return _GONE
    return module_calls(max(graphs, key=lambda graph: len(graph.nodes)))


def module_calls(graph: Any) -> tuple[ModuleCall, ...]:
    """The modules whose `forward` the nodes of a graph lie in, outer ones before those within them."""
    numbers: dict[Stack, int] = {}
    nodes: list[list[Name]] = []
    for node in graph.nodes:
        stack = _stack_of(node)
        for depth in range(1, len(stack) + 1):
            if stack[:depth] not in numbers:
                numbers[stack[:depth]] = len(nodes)
                nodes.append([])
        if stack:
            nodes[numbers[stack]].append(Name(str(node.name)))
    return tuple(
        ModuleCall(Expression(stack[-1][0]), Name(stack[-1][1]), numbers.get(stack[:-1]), tuple(nodes[number]))
        for stack, number in numbers.items()
    )


def _stack_of(node: Any) -> Stack:
    found = next((node.meta[key] for key in _STACKS if node.meta.get(key)), None)
    if not isinstance(found, dict):
        return ()
    return tuple((str(path), getattr(kind, "__name__", str(kind))) for path, kind, *_ in found.values())


def _graphs_at_hand() -> Iterator[Any]:
    """The graphs among the variables of the function that writes the record."""
    writer, kind = trace_probes.WRITE_RECORD.get(), probes.GRAPH_MODULE.get()
    if isinstance(writer, Unknown) or isinstance(kind, Unknown):
        return
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code is not writer.__code__:
        frame = frame.f_back
    if frame is not None and frame.f_back is not None:
        yield from (value.graph for value in list(frame.f_back.f_locals.values()) if isinstance(value, kind))


def _is_printed(graph: Any, text: str) -> bool:
    at = 0
    for node in graph.nodes:
        if node.op != "output":
            at = text.find(str(node.name), at)
            if at < 0:
                return False
    return True
