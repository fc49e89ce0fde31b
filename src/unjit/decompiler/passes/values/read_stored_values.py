"""A value that was stored to a local and stays on the stack as well, read from the local.

*What Dynamo did*: it stored a value that it had just computed, for later, and kept it on the stack for an operation
whose other operands take calls to compute. *The shape*: `Define` of a walrus, and reads of the value: all after it in
the same block, before anything changes the local, or anywhere, if nothing else ever does. *What we produce*: a plain
assignment, and the local where the value was read. *What we refuse*: locals that change.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from unjit.bytecode.functions.frame import argument_names
from unjit.decompiler.ir.flow.graph import Block, Graph
from unjit.decompiler.ir.tree.fields import HELD_BY
from unjit.decompiler.ir.tree.nodes import LOAD, Define, Temp
from unjit.decompiler.ir.tree.notes import copy_mark, is_fast
from unjit.decompiler.ir.tree.order import substitute
from unjit.decompiler.ir.tree.uses import all_roots, replace_temps


def run(graph: Graph) -> None:
    local: dict[Temp, ast.expr] = {}
    for block in graph.reachable():
        found = _stored_in(block)
        if found:
            facts = _Facts(all_roots(block), found[0])
            for place in found:
                _read_local(block, place, facts, graph, local)
    replace_temps(graph, local)


def _stored_in(block: Block) -> list[int]:
    """Where in a block a value is stored to a local and read later."""
    return [k for k, statement in enumerate(block.statements) if type(statement) is Define and _is_stored(statement)]


def _is_stored(define: Define) -> bool:
    value = define.value
    return type(value) is ast.NamedExpr and define.temp.uses > 0 and is_fast(value.target)


def _read_local(block: Block, place: int, facts: _Facts, graph: Graph, local: dict[Temp, ast.expr]) -> None:
    """Read the local that the value stored there is in, if it is wherever that is read; or let `local` say to do so."""
    statement = block.statements[place]
    assert isinstance(statement, Define)
    assert isinstance(statement.value, ast.NamedExpr)
    temp, target = statement.temp, statement.value.target
    reads = facts.reads_of(temp)
    if not facts.local_holds(place, temp, target.id, graph):
        return
    block.statements[place] = ast.Assign([target], statement.value.value)
    copy_mark(statement, block.statements[place])
    shown = ast.Name(target.id, LOAD)
    shown.fast = True  # type: ignore[attr-defined]  # a note of ours on the node
    if len(reads) == temp.uses and reads[-1] < len(block.statements):
        for reader in reads:
            substitute(block.statements[reader], {temp: shown})
    else:
        local[temp] = shown


class _Facts:
    """Where values are read in one block, and where locals change: from the first that counts on, as far as asked."""

    def __init__(self, roots: list[ast.AST], first: int) -> None:
        self.rest = enumerate(roots[first:], first)
        self.reads: dict[Temp, list[int]] = {}
        self.changes: dict[str, list[int]] = {}

    def reads_of(self, temp: Temp) -> list[int]:
        """The places that read the value; what changes up to the last of them is known then."""
        reads = self.reads.setdefault(temp, [])
        while len(reads) < temp.uses:
            place, root = next(self.rest, (None, None))
            if place is None or root is None:
                break
            read, changed = _read_and_changed(root)
            for other in read:
                self.reads.setdefault(other, []).append(place)
            for name in changed:
                self.changes.setdefault(name, []).append(place)
        return reads

    def local_holds(self, place: int, temp: Temp, name: str, graph: Graph) -> bool:
        """Whether the local has the value that is stored there wherever that is read."""
        reads, changes = self.reads_of(temp), self.changes.get(name, [])
        if len(reads) == temp.uses:
            return not any(place < change <= reads[-1] for change in changes)
        return len(changes) == 1 and _never_changes(graph, name)


def _never_changes(graph: Graph, name: str) -> bool:
    """Whether the local is no argument, and one statement alone stores it."""
    everywhere = (root for block in graph.reachable() for root in all_roots(block))
    return (
        name not in argument_names(graph.code)
        and sum(_read_and_changed(root)[1].count(name) for root in everywhere) == 1
    )


def _read_and_changed(root: ast.AST) -> tuple[list[Temp], list[str]]:
    """The values that a statement or expression reads, and the names that it binds or unbinds, as often as it does."""
    read: list[Temp] = []
    changed: list[str] = []
    nodes: list[Any] = [root]
    for node in nodes:  # the list grows while it is walked
        kind = type(node)
        if kind is Temp:
            read.append(node)
        elif kind is ast.Name:
            if type(node.ctx) is not ast.Load:
                changed.append(node.id)
        elif kind is list:
            nodes += node
        elif kind not in _NO_PARTS:
            nodes += HELD_BY[kind](node)
            if kind in _BINDING:
                changed += filter(None, [_BINDING[kind](node)])
    return read, changed


_NO_PARTS = frozenset({str, type(None), ast.Constant})
_BINDING: dict[type[ast.AST], Callable[[Any], str | None]] = {
    ast.alias: lambda node: node.asname or node.name.partition(".")[0],
    ast.MatchAs: lambda node: node.name,
    ast.MatchStar: lambda node: node.name,
    ast.MatchMapping: lambda node: node.rest,
}
