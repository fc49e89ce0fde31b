"""`del a, b`, from what it became: one deletion after the other on the same line.

Those that Dynamo wrote have no line: as many of them are said at once as a line holds.
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.flow.unbinding import DELETES
from unjit.decompiler.ir.tree.notes import mark, offset_of
from unjit.decompiler.ir.tree.suites import rewrite_suites

_WIDTH = 76
_DELETIONS = DELETES | {"DELETE_ATTR", "DELETE_SUBSCR"}


def run(body: list[ast.stmt], graph: Graph) -> list[ast.stmt]:
    if graph.operations.isdisjoint(_DELETIONS):
        return body
    lines: dict[int, int | None] = {}
    for block in graph.blocks:
        lines |= {instr.offset: instr.line for instr in block.instrs if instr.op in _DELETIONS}
    return body if len(lines) < 2 else rewrite_suites(body, lambda suite: _joined(suite, lines))


def _joined(suite: list[ast.stmt], lines: dict[int, int | None]) -> list[ast.stmt]:
    done: list[ast.stmt] = []
    for statement in suite:
        last = done[-1] if done else None
        if isinstance(statement, ast.Delete) and isinstance(last, ast.Delete) and _on_one_line(last, statement, lines):
            _mark_target(statement)
            last.targets += statement.targets
        else:
            done.append(statement)
    return done


def _on_one_line(last: ast.Delete, statement: ast.Delete, lines: dict[int, int | None]) -> bool:
    one, other = offset_of(last), offset_of(statement)
    if one is None or other is None or lines.get(one) != lines.get(other):
        return False
    return lines.get(one) is not None or _length(last) + _length(statement) <= _WIDTH


def _length(statement: ast.Delete) -> int:
    """Of the names that it deletes, with what divides them."""
    return sum(2 + len(target.id) if isinstance(target, ast.Name) else _WIDTH for target in statement.targets)


def _mark_target(statement: ast.Delete) -> None:
    """The instruction is found at its target: the statement has the place of the first one."""
    place = offset_of(statement)
    if place is not None and offset_of(statement.targets[0]) is None:
        mark(statement.targets[0], place)
