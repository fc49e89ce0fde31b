"""`assert`: a test, and a raise of the AssertionError that only assert statements can name.

*The shape*: `if not test: raise AssertionError(message)` with the interpreter's own AssertionError; without a
test, what `assert False` leaves. *What we refuse*: that error anywhere else; it has no name in source.
"""

from __future__ import annotations

import ast

from unjit.bytecode.instructions.positions import Position, Positions
from unjit.decompiler.ir.as_written.asked_tests import as_asked
from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.tree.negation import negated
from unjit.decompiler.ir.tree.nodes import AssertionErrorRef
from unjit.decompiler.ir.tree.notes import copy_mark, offset_of
from unjit.decompiler.ir.tree.suites import rewrite_suites

_LOADS_THE_ERROR = frozenset({"LOAD_ASSERTION_ERROR", "LOAD_COMMON_CONSTANT"})


def run(body: list[ast.stmt], graph: Graph) -> list[ast.stmt]:
    if graph.operations.isdisjoint(_LOADS_THE_ERROR):
        return body
    return rewrite_suites(body, lambda suite: [part for statement in suite for part in _asserted(statement, graph)])


def _asserted(statement: ast.stmt, graph: Graph) -> list[ast.stmt]:
    """Inner suites come first: what an `if` guards is an assertion of nothing already."""
    if isinstance(statement, ast.Raise):
        return [_assertion(statement, graph)]
    if not isinstance(statement, ast.If) or len(statement.body) != 1:
        return [statement]
    failing = statement.body[0]
    if not isinstance(failing, ast.Assert) or not isinstance(failing.test, ast.Constant):
        return [statement]
    if _stands_below(failing, statement.test, graph.positions):
        return [statement]
    asserted = ast.Assert(as_asked(negated(statement.test)), failing.msg)
    copy_mark(statement, asserted)
    return [asserted, *statement.orelse]


def _stands_below(failing: ast.Assert, test: ast.expr, positions: Positions) -> bool:
    """Whether the assertion was written below the test, in an `if`: its place begins with the test otherwise."""
    own = _place(failing, positions)
    lines = [place.line for part in ast.walk(test) if (place := _place(part, positions)) is not None]
    return own is not None and bool(lines) and own.line > max(lines)


def _place(node: ast.AST, positions: Positions) -> Position | None:
    offset = offset_of(node)
    return None if offset is None else positions.at(offset)


def _assertion(raised: ast.Raise, graph: Graph) -> ast.stmt:
    """`assert False`, if the raise is one of the error that only assert statements can name.

    From 3.13 on it has the place of the test: there is `assert 0`, too.
    """
    error, message = raised.exc, None
    if isinstance(error, ast.Call) and len(error.args) == 1 and not error.keywords:
        message, error = error.args[0], error.func
    if not isinstance(error, AssertionErrorRef) or raised.cause is not None:
        return raised
    place = _place(raised, graph.positions)
    failing = ast.Assert(ast.Constant(0 if place is not None and place.width == len("0") else False), message)
    copy_mark(raised, failing)
    return failing
