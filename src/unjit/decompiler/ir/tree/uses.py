"""How often each Temp is read, and replacing Temps throughout a graph."""

from __future__ import annotations

import ast

from unjit.decompiler.ir.flow.graph import Block, Branch, Graph, Match, NextItem
from unjit.decompiler.ir.tree.nodes import Define, EnterWith, Temp
from unjit.decompiler.ir.tree.order import count_temps, substitute, temps_in


def count_uses(graph: Graph) -> None:
    """Set `uses` of every Temp to the number of places that read it."""
    if not any(map(_makes_temps, graph.reachable())):
        return
    counts: dict[Temp, int] = {}
    for block in graph.reachable():
        count_temps(all_roots(block), counts)
        for statement in block.statements:
            if type(statement) is Define:
                counts.setdefault(statement.temp, 0)
            elif type(statement) is ast.Assign and type(statement.targets[0]) is ast.Tuple:
                for temp in temps_in(statement.targets[0]):
                    counts[temp] -= 1  # the place where it is unpacked to
    for temp, count in counts.items():
        temp.uses = count


def _makes_temps(block: Block) -> bool:
    """Whether a value gets no name in the block that a later one may read."""
    if block.params or isinstance(block.terminator, NextItem):
        return True
    kinds = set(map(type, block.statements))
    if not _MAKING.isdisjoint(kinds):
        return True
    return ast.Assign in kinds and any(isinstance(s, ast.Assign) and _unpacks(s) for s in block.statements)


_MAKING = frozenset({Define, EnterWith})


def _unpacks(assignment: ast.Assign) -> bool:
    return type(assignment.targets[0]) is not ast.Name


def count_uses_again(graph: Graph) -> None:
    """The same where blocks were folded into one another, which leaves counts behind."""
    count_uses(graph)


def read_roots(block: Block) -> list[ast.AST]:
    """What a block reads itself, not what it passes on."""
    return [*block.statements, *block.terminator.reads()]


def all_roots(block: Block) -> list[ast.AST]:
    """What a block reads, to pass it on or otherwise."""
    roots = read_roots(block)
    for edge in block.terminator.edges():
        roots += edge.args
    return roots


def incoming_values(graph: Graph) -> dict[Temp, list[ast.expr]]:
    """For each parameter the values that it gets: one from each edge, or from each block that a handler protects."""
    incoming: dict[Temp, list[ast.expr]] = {p: [] for block in graph.reachable() for p in block.params}
    for _, edge in graph.edges():
        if edge.target in graph.handled:
            continue
        for param, arg in zip(edge.target.params, edge.args, strict=True):
            incoming[param].append(arg)
    for handler, rows in graph.handled.items():
        for row in rows:
            for param, arg in zip(handler.params, row, strict=True):
                incoming.setdefault(param, []).append(arg)
    return incoming


def dead_params(graph: Graph) -> list[Temp]:
    """Parameters that nothing reads but, perhaps, other such parameters."""
    incoming = incoming_values(graph)
    live: set[Temp] = set()
    read: dict[Temp, int] = {}
    for block in graph.reachable():
        count_temps(read_roots(block), read)
    work = list(read)
    while work:
        temp = work.pop()
        if temp not in live:
            live.add(temp)
            work += [arg for arg in incoming.get(temp, []) if isinstance(arg, Temp)]
    return [param for param in incoming if param not in live]


def replace_temps(graph: Graph, replacement: dict[Temp, ast.expr]) -> None:
    """Put `replacement[t]` wherever Temp t of it is read, in every reachable block."""
    if not replacement:
        return
    for block in graph.reachable():
        read: dict[Temp, int] = {}
        count_temps(block.statements, read)  # looking takes half as long as replacing, and most blocks read none
        if not replacement.keys().isdisjoint(read):
            for statement in block.statements:
                substitute(statement, replacement)
        terminator = block.terminator
        if isinstance(terminator, Branch):
            terminator.test = _replaced(terminator.test, replacement)
        elif isinstance(terminator, NextItem):
            terminator.iterator = _replaced(terminator.iterator, replacement)
        elif isinstance(terminator, Match):
            terminator.subject = _replaced(terminator.subject, replacement)
        for edge in terminator.edges():
            edge.args = [_replaced(arg, replacement) for arg in edge.args]


def _replaced(value: ast.expr, replacement: dict[Temp, ast.expr]) -> ast.expr:
    if isinstance(value, Temp):
        return replacement.get(value, value)
    substitute(value, replacement)
    return value


def names_stored(statement: ast.stmt) -> set[str]:
    """Locals that a statement binds or unbinds."""
    found: set[str] = set()
    for target in statement.targets if isinstance(statement, (ast.Assign, ast.Delete)) else ():
        if type(target) is ast.Name:
            found.add(target.id)
        else:
            found.update(node.id for node in ast.walk(target) if isinstance(node, ast.Name))
    return found
