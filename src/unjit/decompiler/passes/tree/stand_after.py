"""What follows an `if` or `match` of which one suite alone goes on goes out of that, where it was written so.

*What the compiler did*: nothing; the code is the same, but from Python 3.11 on it notes columns. *The shape*: a
statement all of whose suites but one always leave, and in that one statements at its end that begin no further to the
right than the statement itself. *What we produce*: these after the statement. *What we refuse*: statements that may
only seem to begin so far to the left.
"""

from __future__ import annotations

import ast
from functools import reduce
from typing import NamedTuple

from unjit.bytecode import versions as v
from unjit.decompiler.ir.as_written.indentation import Indentation
from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.tree.endings import ends, takes_all
from unjit.decompiler.ir.tree.suites import Suite, chained, rewrite_suites
from unjit.decompiler.kinds import annotated_by

_MOST = 8  # suites of one statement; more would take the square of their number


def run(body: Suite, graph: Graph) -> Suite:
    if not v.PY311 or len(graph.blocks) == 1 or graph.is_comprehension or annotated_by(graph.code):
        return body
    return rewrite_suites(body, _After(Indentation(graph), chained(body)).taken_out)


class _Arms(NamedTuple):
    """The suites of a statement, of a chain of `elif` too: how many there are, and what more than one of them does."""

    number: int
    going: list[Suite]  # of those that control falls out of, two if there are more
    long: list[Suite]  # of those of several statements, `_MOST` if there are more

    def and_those(self, others: _Arms) -> _Arms:
        return _Arms(self.number + others.number, [*self.going, *others.going][:2], [*self.long, *others.long][:_MOST])


class _After:
    def __init__(self, indentation: Indentation, chained: set[int]) -> None:
        self.indentation, self.chained = indentation, chained
        self.arms_of: dict[int, _Arms] = {}  # inner ones are asked first, so that a chain is gone through once

    def taken_out(self, suite: Suite) -> Suite:
        """The suite, whose last statement has what follows it moved after it."""
        last = suite[-1] if suite else None
        if not isinstance(last, ast.If | ast.Match):
            return suite
        arms = self._arms(last)
        if arms.number < 2 or len(arms.going) > 1:
            return suite
        places = [(arm, _after_in(arm, last, self.indentation)) for arm in arms.going or arms.long]
        found = [(arm, at) for arm, at in places if at is not None]
        if len(found) != 1:
            return suite
        ((arm, at),) = found
        column = self.indentation.of
        if id(last) in self.chained and column(arm[at]) != column(last):
            return suite
        after = arm[at:]
        arm[at:] = [] if at else [ast.Pass()]
        return [*suite, *after]

    def _arms(self, statement: ast.If | ast.Match) -> _Arms:
        """None where control may pass the statement by."""
        if isinstance(statement, ast.Match):
            suites = [case.body for case in statement.cases] if takes_all(statement.cases[-1]) else []
            return reduce(_Arms.and_those, map(_one, suites), _NONE)
        rest = statement.orelse
        inner = self.arms_of.get(id(rest[0])) if len(rest) == 1 else None
        others = inner or (_one(rest) if rest else _NONE)
        arms = _one(statement.body).and_those(others) if others.number else _NONE
        self.arms_of[id(statement)] = arms
        return arms


_NONE = _Arms(0, [], [])


def _one(suite: Suite) -> _Arms:
    return _Arms(1, [] if ends(suite) else [suite], [suite] if len(suite) > 1 else [])


def _after_in(arm: Suite, statement: ast.If | ast.Match, indentation: Indentation) -> int | None:
    """Where in a suite that begins which stands after the statement; None for nowhere."""
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
    """Where at most anything begins that stands after a statement: before its first `case`, if need be."""
    own = indentation.of(statement)
    if own is None and isinstance(statement, ast.Match):
        asked = indentation.place(statement.subject)
        return None if asked is None else asked.column - len("case ") - 1
    return own


def _is_on_another_line(statement: ast.stmt) -> bool:
    """Whether what tells where it begins is the value after several names, which may be on the next line."""
    match statement:
        case ast.Assign(targets=[ast.Tuple()] | [_, _, *_]):
            return True
    return False


def _may_be_missing(statement: ast.stmt, indentation: Indentation) -> int:
    """By how much a statement may begin further to the right than it seems: the `not` of a test may be ours."""
    return indentation.unsaid(statement.test) if isinstance(statement, ast.If | ast.While | ast.Assert) else 0
