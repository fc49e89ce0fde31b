"""A value that was stored to a local and stays on the stack as well, read from the local.

*What Dynamo did*: it stored a value that it had just computed, for later, and kept it on the stack for an operation
whose other operands take calls to compute. *The shape*: `Define` of a walrus, and reads of the value: all behind it in
the same block, before anything changes the local, or anywhere, if nothing else ever does. *What we produce*: a plain
assignment, and the local where the value was read. *What we refuse*: locals that change.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, NamedTuple

from unjit.bytecode.frame import argument_names
from unjit.decompiler.ir.graph import Block, Graph
from unjit.decompiler.ir.nodes import LOAD, Define, Temp, copy_mark
from unjit.decompiler.ir.parts import HELD_BY
from unjit.decompiler.ir.uses import all_roots, replace_temps


def run(graph: Graph) -> None:
    local: dict[Temp, ast.expr] = {}
    for block in graph.reachable():
        found = _stored_in(block)
        if not found:
            continue
        facts = _Facts(block)
        for place, stored in found:
            if facts.local_holds(place, stored, graph):
                block.statements[place] = ast.Assign([stored.target], stored.value)
                copy_mark(stored.statement, block.statements[place])
                local[stored.temp] = ast.Name(stored.target.id, LOAD)
                local[stored.temp].fast = True  # type: ignore[attr-defined]  # a note of ours on the node
    replace_temps(graph, local)


class _Stored(NamedTuple):
    """A value that is read later, the local that it is stored to, and what computes it."""

    statement: Define
    temp: Temp
    target: ast.Name
    value: ast.expr


def _stored_in(block: Block) -> list[tuple[int, _Stored]]:
    """Those of a block, with their places in it."""
    found = []
    for place, statement in enumerate(block.statements):
        if type(statement) is Define and type(statement.value) is ast.NamedExpr and statement.temp.uses:
            target = statement.value.target
            if getattr(target, "fast", False):
                found.append((place, _Stored(statement, statement.temp, target, statement.value.value)))
    return found


class _Facts:
    """Where values are read in one block, and where locals change."""

    def __init__(self, block: Block) -> None:
        self.reads: dict[Temp, list[int]] = {}
        self.changes: dict[str, list[int]] = {}
        for place, root in enumerate(all_roots(block)):
            read, changed = _read_and_changed(root)
            for temp in read:
                self.reads.setdefault(temp, []).append(place)
            for name in changed:
                self.changes.setdefault(name, []).append(place)

    def local_holds(self, place: int, stored: _Stored, graph: Graph) -> bool:
        """Whether the local has the value wherever that is read."""
        reads, changes = self.reads.get(stored.temp, []), self.changes[stored.target.id]
        if len(reads) == stored.temp.uses:
            return not any(place < change <= reads[-1] for change in changes)
        return len(changes) == 1 and _never_changes(graph, stored.target.id)


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
    for node in nodes:  # which grows
        kind = type(node)
        if kind is Temp:
            read.append(node)
        elif kind is ast.Name:
            if type(node.ctx) is not ast.Load:
                changed.append(node.id)
        elif kind is list:
            nodes += node
        elif kind is not str and node is not None:
            nodes += HELD_BY[kind](node)
            if kind in _BINDING:
                changed += filter(None, [_BINDING[kind](node)])
    return read, changed


_BINDING: dict[type[ast.AST], Callable[[Any], str | None]] = {
    ast.alias: lambda node: node.asname or node.name.partition(".")[0],
    ast.MatchAs: lambda node: node.name,
    ast.MatchStar: lambda node: node.name,
    ast.MatchMapping: lambda node: node.rest,
}
