"""A value that was stored to a local and stays on the stack as well, read from the local.

*What Dynamo did*: it stored a value that it had just computed, for later, and kept it on the stack for an operation
whose other operands take calls to compute. *The shape*: `Define` of a walrus, and reads of the value behind it in the
same block, before anything changes the local. *What we produce*: a plain assignment, and the local where the value was
read. *What we refuse*: values that other blocks read too.
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.graph import Block, Graph
from unjit.decompiler.ir.nodes import LOAD, Define, Temp, copy_mark
from unjit.decompiler.ir.order import count_temps
from unjit.decompiler.ir.uses import all_roots, names_stored, replace_temps


def run(graph: Graph) -> None:
    local: dict[Temp, ast.expr] = {}
    for block in graph.reachable():
        for k, statement in enumerate(block.statements):
            stored = _stored(statement)
            if stored is None or not _keeps_its_value(block, k, stored):
                continue
            temp, target, value = stored
            block.statements[k] = ast.Assign([target], value)
            copy_mark(statement, block.statements[k])
            local[temp] = ast.Name(target.id, LOAD)
            local[temp].fast = True  # type: ignore[attr-defined]  # a note of ours on the node
    replace_temps(graph, local)


Stored = tuple[Temp, ast.Name, ast.expr]


def _stored(statement: ast.stmt) -> Stored | None:
    """The value that is read later, the local that it is stored to, and what computes it."""
    if type(statement) is not Define or not isinstance(statement.value, ast.NamedExpr) or not statement.temp.uses:
        return None
    target = statement.value.target
    return (statement.temp, target, statement.value.value) if getattr(target, "fast", False) else None


def _keeps_its_value(block: Block, place: int, stored: Stored) -> bool:
    """Whether the local has the value wherever it is read."""
    temp, target, _ = stored
    found: dict[Temp, int] = {}
    for root in all_roots(block)[place + 1 :]:
        count_temps([root], found)
        if found.get(temp) == temp.uses:
            return True
        if isinstance(root, ast.stmt) and target.id in names_stored(root):
            return False
    return False
