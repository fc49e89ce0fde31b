"""What stands behind an `if` or `match` of which one suite alone goes on goes out of that, where it was written so.

*What the compiler did*: nothing; the code is the same, but from Python 3.11 on it notes columns. *The shape*: a
statement all of whose suites but one always leave, and in that one statements at its end that begin no further to the
right than the statement itself. *What we produce*: these behind the statement. *What we refuse*: statements that may
only seem to begin so far to the left.
"""

from __future__ import annotations

import ast

from unjit.bytecode import versions as v
from unjit.decompiler.ir.endings import ends, takes_all
from unjit.decompiler.ir.graph import Graph
from unjit.decompiler.ir.indentation import Indentation
from unjit.decompiler.ir.suites import Suite, rewrite_suites, statements_in
from unjit.decompiler.kinds import annotated_by


def run(body: Suite, graph: Graph) -> Suite:
    if not v.PY311 or len(graph.blocks) == 1 or graph.is_comprehension or annotated_by(graph.code):
        return body
    chained = {
        id(statement.orelse[0])
        for statement in statements_in(body)
        if isinstance(statement, ast.If) and len(statement.orelse) == 1
    }
    indentation = Indentation(graph)
    return rewrite_suites(body, lambda suite: _with_what_is_behind(suite, indentation, chained))


def _with_what_is_behind(suite: Suite, indentation: Indentation, chained: set[int]) -> Suite:
    """The suite, whose last statement has what is behind it behind it."""
    last = suite[-1] if suite else None
    if not isinstance(last, ast.If | ast.Match):
        return suite
    arms = _arms(last)
    going = [arm for arm in arms if not ends(arm)] or [arm for arm in arms if len(arm) > 1]
    if len(arms) < 2 or len(going) != 1:
        return suite
    (arm,) = going
    at = _behind_in(arm, last, indentation)
    if at is None or (id(last) in chained and indentation.of(arm[at]) != indentation.of(last)):
        return suite
    behind = arm[at:]
    arm[at:] = [] if at else [ast.Pass()]
    return [*suite, *behind]


def _arms(statement: ast.If | ast.Match) -> list[Suite]:
    """The suites of a statement, of a chain of `elif` too; none where control may pass it by."""
    if isinstance(statement, ast.Match):
        return [case.body for case in statement.cases] if takes_all(statement.cases[-1]) else []
    arms = [statement.body]
    while len(statement.orelse) == 1 and isinstance(statement.orelse[0], ast.If):
        statement = statement.orelse[0]
        arms.append(statement.body)
    return [*arms, statement.orelse] if statement.orelse else []


def _behind_in(arm: Suite, statement: ast.If | ast.Match, indentation: Indentation) -> int | None:
    """Where in a suite that begins which stands behind the statement; None for nowhere."""
    own, within = _column(statement, indentation), indentation.of(arm[0])
    for k, part in enumerate(arm if own is not None else ()):
        column = None if _is_on_another_line(part) else indentation.of(part)
        if column is None or own is None or (k and within is not None and column >= within):
            continue
        if not k and isinstance(statement, ast.If):  # which may begin by parentheses
            continue
        if column + _may_be_missing(part, indentation) <= own:
            return k
    return None


def _column(statement: ast.If | ast.Match, indentation: Indentation) -> int | None:
    """Where at most anything begins that stands behind a statement: in front of its first `case`, if need be."""
    own = indentation.of(statement)
    if own is None and isinstance(statement, ast.Match):
        asked = indentation.place(statement.subject)
        return None if asked is None else asked.column - len("case ") - 1
    return own


def _is_on_another_line(statement: ast.stmt) -> bool:
    """Whether what tells where it begins is the value behind several names, which may be on the next line."""
    match statement:
        case ast.Assign(targets=[ast.Tuple()] | [_, _, *_]):
            return True
    return False


def _may_be_missing(statement: ast.stmt, indentation: Indentation) -> int:
    """By how much a statement may begin further to the right than it seems: the `not` of a test may be ours."""
    return indentation.unsaid(statement.test) if isinstance(statement, ast.If | ast.While | ast.Assert) else 0
