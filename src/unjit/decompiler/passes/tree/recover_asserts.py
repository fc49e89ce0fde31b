"""`assert`: a test, and a raise of the AssertionError that only assert statements can name.

*The shape*: `if not test: raise AssertionError(message)` with the interpreter's own AssertionError; without a
test, what `assert False` leaves. *What we refuse*: that error anywhere else; it has no name in source.
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.asked_tests import as_asked
from unjit.decompiler.ir.graph import Graph
from unjit.decompiler.ir.negation import negated
from unjit.decompiler.ir.nodes import AssertionErrorRef
from unjit.decompiler.ir.notes import copy_mark
from unjit.decompiler.ir.suites import rewrite_suites

_LOADS_THE_ERROR = frozenset({"LOAD_ASSERTION_ERROR", "LOAD_COMMON_CONSTANT"})


def run(body: list[ast.stmt], graph: Graph) -> list[ast.stmt]:
    return body if graph.operations.isdisjoint(_LOADS_THE_ERROR) else rewrite_suites(body, _suite)


def _suite(statements: list[ast.stmt]) -> list[ast.stmt]:
    return [part for statement in statements for part in _asserted(statement)]


def _asserted(statement: ast.stmt) -> list[ast.stmt]:
    """Inner suites come first: what an `if` guards is an assertion of nothing already."""
    if isinstance(statement, ast.Raise):
        return [_assertion(statement)]
    if not isinstance(statement, ast.If) or len(statement.body) != 1:
        return [statement]
    failing = statement.body[0]
    if not isinstance(failing, ast.Assert) or not isinstance(failing.test, ast.Constant):
        return [statement]
    asserted = ast.Assert(as_asked(negated(statement.test)), failing.msg)
    copy_mark(statement, asserted)
    return [asserted, *statement.orelse]


def _assertion(raised: ast.Raise) -> ast.stmt:
    """`assert False`, if the raise is one of the error that only assert statements can name."""
    error, message = raised.exc, None
    if isinstance(error, ast.Call) and len(error.args) == 1 and not error.keywords:
        message, error = error.args[0], error.func
    if not isinstance(error, AssertionErrorRef) or raised.cause is not None:
        return raised
    failing = ast.Assert(ast.Constant(False), message)
    copy_mark(raised, failing)
    return failing
