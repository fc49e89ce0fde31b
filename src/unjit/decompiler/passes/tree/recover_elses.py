"""What follows a statement of which no suite comes to its end goes into its `else`, where it was indented so.

*What the compiler did*: nothing; the code is the same, but from Python 3.11 on it notes columns. *The shape*: an `if`
whose suite always leaves, a `try` all of whose clauses do, or a loop that nothing breaks out of, and statements after
it that begin further to the right; or a `try` with an `else` of which some do not. *What we refuse*: what begins
nowhere that is known.
"""

from __future__ import annotations

import ast

from unjit.bytecode import versions as v
from unjit.decompiler.ir.as_written.indentation import Indentation
from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.tree.endings import ends
from unjit.decompiler.ir.tree.negation import is_negation
from unjit.decompiler.ir.tree.suites import LOOPS, is_broken_out_of, rewrite_suites
from unjit.decompiler.kinds import annotated_by

_Compound = ast.If | ast.Try | ast.For | ast.AsyncFor | ast.While
_COMPOUND = (ast.If, ast.Try, *LOOPS)
_UNIT = 4  # how far a suite is indented, as most are
_ELIF = range(2, 4)  # by how much the test of an `elif` stands further to the right than that of the `if`


def run(body: list[ast.stmt], graph: Graph) -> list[ast.stmt]:
    if not v.PY311 or len(graph.blocks) == 1 or graph.is_comprehension or annotated_by(graph.code):
        return body  # nothing leaves, or nobody indented it
    indentation = Indentation(graph)
    return rewrite_suites(body, lambda suite: _indented(suite, indentation))


def _indented(suite: list[ast.stmt], indentation: Indentation) -> list[ast.stmt]:
    if any(isinstance(statement, ast.Try) and statement.orelse for statement in suite):
        suite = [part for statement in suite for part in _without_what_is_after(statement, indentation)]
    for statement in suite:
        _chain(statement, indentation)
    first = next((k for k, statement in enumerate(suite[:-1]) if _takes_else(statement)), None)
    if first is None:
        return suite
    out: list[ast.stmt] = suite[:first]
    open_: list[tuple[_Compound, int]] = []  # what the next statements may be the `else` of, and where it begins
    for k, statement in enumerate(suite[first:], first):
        takes = k + 1 < len(suite) and _takes_else(statement)
        if not (open_ or takes):
            out.append(statement)
            continue
        column = _column(suite, k, indentation)
        while open_ and not _is_deeper(statement, column, *open_[-1], indentation):
            open_.pop()
        begins = _begins(statement, column, open_[-1] if open_ else None, indentation) if takes else None
        (open_[-1][0].orelse if open_ else out).append(statement)
        if begins is not None and isinstance(statement, _COMPOUND):
            open_.append((statement, begins))
    return out


def _column(suite: list[ast.stmt], k: int, indentation: Indentation) -> int | None:
    """Where a statement begins; one of which nothing tells where the next one does, if that is told for sure."""
    column = indentation.of(suite[k])
    following = suite[k + 1] if k + 1 < len(suite) else None
    if column is not None or following is None or isinstance(following, ast.If):
        return column
    return indentation.of(following)


def _begins(
    statement: ast.stmt, column: int | None, around: tuple[_Compound, int] | None, indentation: Indentation
) -> int | None:
    """The column that its `else` is right of: its own, where `around` is what it is in the `else` of.

    The target and the test of a loop may stand over lines, so that its column is told less surely than its suite's; but
    of an `if` in that the `not` may be ours. So it is right of both.
    """
    if isinstance(statement, LOOPS):
        columns = [found for found in map(indentation.of, statement.body) if found is not None]
        return max(min(columns) - 1, -1 if column is None else column) if columns else None
    if column is None or not isinstance(statement, ast.If):
        return column
    column = _beside_suite(statement, column, indentation)
    if around is None:
        return column
    is_elif = isinstance(around[0], ast.If) and not around[0].orelse and column - around[1] in _ELIF
    return around[1] if is_elif else column


def _beside_suite(statement: ast.If, column: int, indentation: Indentation) -> int:
    """The column of an `if`, by its suite: before its test there may be a `not` that is ours, or a parenthesis."""
    first, within = indentation.first(statement.test), indentation.first(statement.body[0])
    suite = None if first is None or within is None or within.line <= first.line else indentation.of(statement.body[0])
    if suite is None:
        return column
    own = suite - _UNIT
    is_unsure = indentation.unsaid(statement.test) and column < own
    is_in_parentheses = column in (own + len("("), suite + len("("))  # on the line, or deeper on the next
    return own if is_unsure or is_in_parentheses else column


def _without_what_is_after(statement: ast.stmt, indentation: Indentation) -> list[ast.stmt]:
    """A `try` and what of its `else` was written after it."""
    if not isinstance(statement, ast.Try) or not statement.orelse or not _may_take_else(statement):
        return [statement]
    own = indentation.of(statement)
    for k, part in enumerate(statement.orelse[1:] if own is not None else (), 1):
        column = indentation.of(part)
        if own is not None and column is not None and column <= own:
            statement.orelse, moved = statement.orelse[:k], statement.orelse[k:]
            return [statement, *moved]
    return [statement]


def _chain(statement: ast.stmt, indentation: Indentation) -> None:
    """Of several statements in an `else` each that was an `elif` takes those after it into its own."""
    if not isinstance(statement, ast.If):
        return
    rest, taken = statement.orelse, 0
    while taken + 1 < len(rest) and _is_elif_of(statement, following := rest[taken], indentation):
        assert isinstance(following, ast.If)
        statement.orelse = [following]
        statement, taken = following, taken + 1
    statement.orelse = rest[taken:]


def _is_elif_of(statement: ast.If, following: ast.stmt, indentation: Indentation) -> bool:
    """Whether an `if` that begins the `else` of another, and may take what follows it, was its `elif`."""
    if not isinstance(following, ast.If) or not _takes_else(following):
        return False
    own, column, suite = indentation.of(statement), indentation.of(following), indentation.of(statement.body[0])
    if own is None or column is None:
        return False
    is_narrow = suite is None or suite - own in _ELIF  # a suite that stands where an `elif` has its test
    return column == own or (column - own in _ELIF and not is_narrow)  # equal where it is an `elif` itself


def _takes_else(statement: ast.stmt) -> bool:
    """Whether what follows a statement may as well be its `else`."""
    return not getattr(statement, "orelse", ()) and _may_take_else(statement)


def _may_take_else(statement: ast.stmt) -> bool:
    """Whether what its `else` does is the same as what follows it."""
    if isinstance(statement, ast.If):
        return ends(statement.body)
    if isinstance(statement, ast.Try):
        return not statement.finalbody and all(ends(each.body) for each in statement.handlers)
    return isinstance(statement, LOOPS) and not is_broken_out_of(statement)


def _is_deeper(
    statement: ast.stmt, column: int | None, around: _Compound, begins: int, indentation: Indentation
) -> bool:
    """Whether it is indented more, and not only seems to be.

    That may be by parentheses around a test, or by those around the names that a tuple is unpacked to; and by a `not`
    in the midst of a test. After a `try` an `if` is not that begins left of the body of that. By three nobody indents:
    so far left an `if` seems to be whose test begins in the next line, in parentheses after `if not`.
    """
    if column is None or (column == begins + 3 and isinstance(around, ast.If) and is_negation(around.test)):
        return False
    match statement:
        case ast.If(test=ast.Compare(ops=[ast.NotIn() | ast.IsNot()]) as test) if indentation.says_not_after(test):
            return column > begins
        case ast.If(test=ast.Compare(ops=[ast.NotIn() | ast.IsNot(), *_])):
            return column > begins + 1 and column != begins + len("not ")
        case ast.If() | ast.While():
            beside = indentation.of(around.body[0]) if isinstance(around, ast.Try) else None
            is_beside = beside is None or isinstance(around.body[0], _COMPOUND) or column >= beside
            return is_beside and column > begins + (not _is_denied_as_a_whole(around))
        case ast.Assign(targets=[ast.Tuple()]):
            return column > begins + 2
    return column > begins


def _is_denied_as_a_whole(statement: ast.stmt) -> bool:
    """Whether it is an `if not (`, whose column seems to be one further to the right than it is."""
    if not isinstance(statement, ast.If) or not is_negation(statement.test):
        return False
    return isinstance(statement.test.operand, ast.BoolOp | ast.NamedExpr | ast.IfExp)
