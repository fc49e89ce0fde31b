"""Which module of the program each node of a graph came from."""

from __future__ import annotations

from typing import Any, Final

from unjit.model import Expression, ModuleCall, Name

_STACKS: Final = ("nn_module_stack", "fwd_nn_module_stack")  # the second is that of the forward, on nodes of a backward
Stack = tuple[tuple[str, str], ...]  # path and class of each module, outermost first


def module_calls(graph: Any) -> tuple[ModuleCall, ...]:
    """The modules whose `forward` the operations of a graph lie in, outer ones before those within them.

    Inputs are left out: torch notes for some the module that was the first to read them, or, of a piece of a graph, the
    one that made them.
    """
    numbers: dict[Stack, int] = {}
    nodes: list[list[Name]] = []
    for node in graph.nodes:
        stack = () if node.op == "placeholder" else _stack_of(node)
        for depth in range(1, len(stack) + 1) if stack not in numbers else ():
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
