"""Nodes of a graph whose values no operation specifies: two runs may give others, and neither is wrong."""

from __future__ import annotations

import operator
from typing import Any, Final

from unjit.model import known_or
from unjit.torch_private.compiled_graphs.operations import name_of_result

_UNFILLED: Final = ("empty", "new_empty")  # memory that is written later, by a kernel of the program's own, say
_SAME: Final = ("alias", "detach", "clone")
# What attention saves for its backward, which is left unset where nothing is dropped.
_ATTENTION: Final = ("philox", "rng_state", "unused", "debug_attn_mask")


def is_unspecified(node: Any) -> bool:
    """Whether the value of a node may be another in each run."""
    if getattr(node, "op", None) != "call_function":
        return False
    if node.target is operator.getitem:
        return _returned(node.args[0], node.args[1]).startswith(_ATTENTION)
    name = str(getattr(node.target, "__name__", ""))
    return name.startswith(_UNFILLED) or (
        name.partition(".")[0] in _SAME and bool(node.args) and is_unspecified(node.args[0])
    )


def _returned(node: Any, number: Any) -> str:
    """What an operation calls one of its results; nothing where that is not known, and its value is compared."""
    name = name_of_result(getattr(node, "target", None), number) if isinstance(number, int) else ""
    return known_or(name, "")


def specified(graph: Any, result: Any) -> Any:
    """What a graph returned, with None for results that no operation specifies."""
    nodes = next(node.args[0] for node in graph.graph.nodes if node.op == "output")
    if not isinstance(nodes, tuple | list) or len(nodes) != len(result):
        return result
    return tuple(None if is_unspecified(node) else value for node, value in zip(nodes, result, strict=True))
