"""A value that was stored to a local and stays on the stack as well, read from the local.

*What Dynamo did*: it stored a value that it had just computed, for later, and kept it on the stack for an operation
whose other operands take calls to compute. *The shape*: `Define` of a walrus, and reads of the value: all behind it in
the same block, before anything changes the local, or anywhere, if nothing else ever does. *What we produce*: a plain
assignment, and the local where the value was read. *What we refuse*: locals that change.
"""

from __future__ import annotations

import ast

from unjit.bytecode.frame import argument_names
from unjit.decompiler.ir.graph import Block, Graph
from unjit.decompiler.ir.nodes import LOAD, Define, Temp, copy_mark
from unjit.decompiler.ir.order import count_temps
from unjit.decompiler.ir.parts import parts_of
from unjit.decompiler.ir.uses import all_roots, replace_temps


def run(graph: Graph) -> None:
    local: dict[Temp, ast.expr] = {}
    for block in graph.reachable():
        for k, statement in enumerate(block.statements):
            stored = _stored(statement)
            if stored is None or not (_keeps_its_value(block, k, stored) or _never_changes(graph, stored[1].id)):
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
    """Whether all reads are in the block, before anything changes the local."""
    temp, target, _ = stored
    found: dict[Temp, int] = {}
    for root in all_roots(block)[place + 1 :]:
        count_temps([root], found)
        if _changes(root, target.id):
            return False
        if found.get(temp) == temp.uses:
            return True
    return False


def _never_changes(graph: Graph, name: str) -> bool:
    """Whether the local is no argument, and one statement alone stores it."""
    if name in argument_names(graph.code):
        return False
    return sum(_changes(root, name) for block in graph.reachable() for root in all_roots(block)) == 1


def _changes(root: ast.AST, name: str) -> int:
    """How often the local is stored or deleted."""
    nodes = [root]
    for node in nodes:  # which grows
        nodes += parts_of(node)
    return sum(_changed_by(node) == name for node in nodes)


def _changed_by(node: ast.AST) -> str | None:
    """The name that the node itself binds or unbinds."""
    if isinstance(node, ast.Name):
        return None if isinstance(node.ctx, ast.Load) else node.id
    if isinstance(node, ast.alias):
        return node.asname or node.name.partition(".")[0]
    if isinstance(node, ast.MatchAs | ast.MatchStar):
        return node.name
    return node.rest if isinstance(node, ast.MatchMapping) else None
