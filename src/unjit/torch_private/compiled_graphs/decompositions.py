"""Which operations AOTAutograd took apart, and what it put in their place.

A node that AOTAutograd makes knows the operation that was asked for while it was made. Where that is not its own,
the operation was taken apart, by torch's or by the backend's table of decompositions.
"""

from __future__ import annotations

import operator
from typing import Any, Final

from unjit.model import Decomposition, Maybe, Message, Name, Unknown

_ASKED_FOR: Final = "original_aten"
_NOT_NOTED: Final = Unknown(Message("torch does not note for which operation a node was made"))
_Call = tuple[str, Any, Any, str]


def decompositions(graph: Any) -> Maybe[tuple[Decomposition, ...]]:
    """The calls of operations that others stand for, in the order of the graph; an `fx.Graph` of AOTAutograd's in.

    Unknown where none of its operations has a note of the kind. Two calls of one operation that torch does not tell
    apart, by their lines, nodes of the captured graph, or numbers in autograd's order, are told as one.
    """
    nodes: dict[_Call, list[Any]] = {}
    for node in graph.nodes:
        if node.op == "call_function" and node.meta.get(_ASKED_FOR) is not None:
            nodes.setdefault(_call(node), []).append(node)
    if not nodes and any(node.op == "call_function" for node in graph.nodes):
        return _NOT_NOTED
    return tuple(
        Decomposition(Name(call[0]), tuple(Name(str(node.name)) for node in made))
        for call, made in nodes.items()
        if any(_stands_for_another(node) for node in made)
    )


def _call(node: Any) -> _Call:
    """The key of the call that a node was made for: what tells it from other calls of the same operation."""
    captured = node.meta.get("from_node") or ()
    of = str(getattr(captured[0], "name", "")) if captured else ""
    return str(node.meta[_ASKED_FOR]), node.meta.get("seq_nr"), node.stack_trace, of


def _stands_for_another(node: Any) -> bool:
    """Whether a node runs another operation than was asked for, by name; taking its result apart is not another."""
    return node.target is not operator.getitem and str(node.target) != str(node.meta[_ASKED_FOR])
