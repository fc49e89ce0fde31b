"""`except … as e` with nothing in it: the unbinding of `e` that stands after it goes.

*What the compiler did*: it bound the exception, and as nothing that follows can raise, protected nothing with the
unbinding. *The shape*: a block that ends with the binding and leaves the handler, and after it alone `e = None` and
`del e`. *What we produce*: the binding, which implies the rest. *What we refuse*: an unbinding that is come to from
elsewhere.
"""

from __future__ import annotations

import ast
from collections import Counter

from unjit.decompiler.ir.flow.graph import Block, Graph, Jump
from unjit.decompiler.ir.flow.unbinding import DELETES, unbound_name
from unjit.decompiler.ir.tree.nodes import HandledException


def run(graph: Graph) -> None:
    if not graph.is_protected:
        return
    entries = Counter(edge.target for _, edge in graph.edges())
    for block in graph.reachable():
        name = _bound_last(block)
        if name is None or not isinstance(block.terminator, Jump):
            continue
        rest = block.terminator.edge.target
        if entries[rest] == 1 and unbound_name(rest.statements) == name:
            _drop_unbinding(rest)


def _drop_unbinding(block: Block) -> None:
    """Its two statements, and, where others follow, its instructions: copies of what follows may lack them."""
    del block.statements[:2]
    if block.statements:
        deleted = next(k for k, instr in enumerate(block.instrs) if instr.op in DELETES)
        del block.instrs[: deleted + 1]


def _bound_last(block: Block) -> str | None:
    """The name that a block binds to the exception before it leaves its handler."""
    last = block.statements[-1] if block.statements and block.leaves_handler else None
    if isinstance(last, ast.Assign) and isinstance(last.value, HandledException) and len(last.targets) == 1:
        target = last.targets[0]
        return target.id if isinstance(target, ast.Name) else None
    return None
