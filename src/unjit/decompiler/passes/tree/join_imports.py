"""`import a, b`, from what it became: one import after the other, of one place in the source.

*What the compiler did*: it imported each module by itself, as `import a` and `import b` do. From Python 3.11 on each
has the place of the whole statement; before, all that tells is the line.
"""

from __future__ import annotations

import ast

from unjit.bytecode import decode
from unjit.bytecode.instructions.positions import Position
from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.tree.notes import offset_of
from unjit.decompiler.ir.tree.suites import rewrite_suites


def run(body: list[ast.stmt], graph: Graph) -> list[ast.stmt]:
    if "IMPORT_NAME" not in graph.operations:
        return body
    lines = {instr.offset: instr.line for instr in decode(graph.code)}
    return rewrite_suites(body, lambda suite: _joined(suite, graph, lines))


def _joined(suite: list[ast.stmt], graph: Graph, lines: dict[int, int | None]) -> list[ast.stmt]:
    done: list[ast.stmt] = []
    for statement in suite:
        last = done[-1] if done else None
        if (
            isinstance(statement, ast.Import)
            and isinstance(last, ast.Import)
            and _place(last, graph, lines) == _place(statement, graph, lines) is not None
        ):
            last.names += statement.names
        else:
            done.append(statement)
    return done


def _place(statement: ast.Import, graph: Graph, lines: dict[int, int | None]) -> Position | int | None:
    """What a statement shares with another if both are one; None where nothing tells."""
    offset = offset_of(statement)
    if offset is None:
        return None
    position = graph.positions.at(offset)
    return lines.get(offset) if position is None else position
