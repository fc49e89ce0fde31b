"""Tests of comprehensions that stand on another line than what is added.

*What the compiler did*: on 3.11 and 3.12 a jump to the jump that ends the loop is one jump if both are on one line, and
one of them has the line of what is added. *What we produce*: a note on such tests, so that they are printed on a line
of their own. Elsewhere nothing depends on lines here.
"""

from __future__ import annotations

import ast

from unjit.bytecode import versions as v
from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.tree.nodes import Accumulate
from unjit.decompiler.ir.tree.notes import offset_of


def run(body: list[ast.stmt], graph: Graph) -> list[ast.stmt]:
    if v.COMPREHENSIONS_JUMP_BY_LINES and graph.is_comprehension:
        tests, added = _tests(body)
        if tests and added is not None:
            lines = {i.offset: i.line for block in graph.blocks for i in block.instrs}
            for statement in tests:
                at = offset_of(statement.test)
                statement.is_divided = at is not None and lines.get(at) != lines.get(offset_of(added) or -1)  # type: ignore[attr-defined]
    return body


def _tests(body: list[ast.stmt]) -> tuple[list[ast.If], ast.AST | None]:
    """The tests of the loops in a comprehension's code, and what has the line of what is added."""
    tests: list[ast.If] = []
    statement = next((s for s in body if isinstance(s, ast.For | ast.AsyncFor)), None)
    work: ast.stmt | None = statement
    while isinstance(work, ast.For | ast.AsyncFor | ast.If):
        if isinstance(work, ast.If):
            tests.append(work)
        work = work.body[-1] if work.body else None
    if isinstance(work, Accumulate) and v.PY312:  # before, adding has the line of what is asked last
        return tests, work
    return tests, getattr(work, "value", None)
