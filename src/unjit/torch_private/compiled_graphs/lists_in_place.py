"""Operations that change lists of tensors in place, in graphs that Inductor's passes have been through.

An optimizer's `_foreach_add` becomes `_foreach_add_` where nothing else reads what it changes, and the graph takes the
results out of what that operation returns: Inductor's lowering gives the list, the operation itself nothing.
"""

from __future__ import annotations

import operator
from typing import Any

from unjit.model import Unknown
from unjit.torch_private.probes.graph_probes import SCHEMA


def give_lists(graph: Any) -> None:
    """Have a graph of Inductor's take such results from the list that was changed, so that it runs as Python."""
    for node in list(graph.graph.nodes):
        takers = [user for user in node.users if user.target is operator.getitem]
        if not takers or node.op != "call_function" or not _returns_nothing(node.target):
            continue
        with graph.graph.inserting_after(node):
            changed = graph.graph.call_function(list, (node.args[0],))
        changed.meta.update((key, node.meta[key]) for key in ("stack_trace",) if key in node.meta)
        for taker in takers:
            taker.replace_input_with(node, changed)


def _returns_nothing(operation: Any) -> bool:
    schema = SCHEMA.of(operation)
    return not isinstance(schema, Unknown) and not schema.returns
