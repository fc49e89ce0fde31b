"""Which values patterns ask: others are asked by tests that somebody wrote."""

from __future__ import annotations

import ast
from typing import TypeGuard

from unjit.decompiler.ir.flow.graph import Block, Graph, Jump
from unjit.decompiler.ir.tree.nodes import Define, Helper, Temp
from unjit.decompiler.ir.tree.uses import count_uses
from unjit.decompiler.passes.patterns.parts.steps import Asked

_ASKS = frozenset({"MATCH_SEQUENCE", "MATCH_MAPPING", "MATCH_CLASS", "MATCH_KEYS"})
_COPIES = frozenset({"COPY", "DUP_TOP"})  # of a subject, for each but the last of several things that it is asked


def may_match(graph: Graph) -> bool:
    """Whether there is an instruction without which there is no pattern that more than one thing is asked for."""
    return not graph.operations.isdisjoint(_ASKS | _COPIES)


def subjects_of_patterns(graph: Graph, definitions: dict[Temp, ast.expr], questions: dict[Block, Asked]) -> set[Temp]:
    """Values that something only a pattern asks is asked of, or that are compared with values in several blocks."""
    compared: dict[Temp, int] = {}
    elsewhere: set[Temp] = set()  # compared or bound in another block than the one that makes them, after a test
    before = {b.terminator.edge.target: b for b in graph.reachable() if isinstance(b.terminator, Jump)}
    for block in graph.reachable():
        question = questions.get(block)
        used = [question.temp] if question is not None and question.pattern is not None else []
        used += [s.value for s in block.statements if _binds(s) and isinstance(s.value, Temp)]
        for temp in used:
            compared[temp] = compared.get(temp, 0) + 1
        if used:
            statements = [*before[block].statements, *block.statements] if block in before else block.statements
            made_here = [s.temp for s in statements if isinstance(s, Define)]  # an `await` ends a block
            elsewhere.update(set(used).difference(made_here, block.params))
    if elsewhere:
        count_uses(graph)
    return _asked_of(graph, definitions) | {temp for temp in elsewhere if temp.uses == compared[temp]}


def _asked_of(graph: Graph, definitions: dict[Temp, ast.expr]) -> set[Temp]:
    """Values that something only a pattern asks is asked of."""
    if graph.operations.isdisjoint(_ASKS):
        return set()
    asking = [value for value in definitions.values() if isinstance(value, Helper) and value.name in _ASKS]
    return {value.args[0] for value in asking if isinstance(value.args[0], Temp)}


def _binds(statement: ast.stmt) -> TypeGuard[ast.Assign]:
    return isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
