"""Compound statements put together from their parts, the way a person would write them."""

from __future__ import annotations

import ast

from unjit.bytecode import versions as v
from unjit.bytecode.instructions.positions import Positions
from unjit.decompiler.ir.as_written.asked_tests import as_asked
from unjit.decompiler.ir.flow.exits import same_exit
from unjit.decompiler.ir.flow.graph import Block, Branch, Case, Edge, NextItem
from unjit.decompiler.ir.tree.endings import ends
from unjit.decompiler.ir.tree.negation import negated
from unjit.decompiler.ir.tree.nodes import (
    TRIES,
    Define,
    EnterWith,
    GetIter,
    HandledException,
    Helper,
    Temp,
)
from unjit.decompiler.ir.tree.notes import copy_mark, copy_words, is_passed
from unjit.decompiler.ir.tree.suites import Suite


def except_clause(type_: ast.expr | None, body: Suite) -> ast.ExceptHandler:
    """The clause; a body that starts by storing the exception gives it its name."""
    name = None
    first = body[0] if body else None
    if isinstance(first, ast.Assign) and isinstance(first.value, HandledException) and type_ is not None:
        target = first.targets[0]
        if len(first.targets) == 1 and isinstance(target, ast.Name):
            name, body = target.id, body[1:]
    return ast.ExceptHandler(type_, name, body or [ast.Pass()])


def arms_of(branch: Branch, positions: Positions) -> tuple[ast.expr, Edge, Edge]:
    """The test of an `if`, its first arm and the other: the first is what the compiler laid out after the test.

    But where both go back to a loop, from 3.12 on a jump stands there that nobody wrote, and `pass` where it leads.
    """
    near, far = branch.edges()
    is_near_true = branch.falls_through
    if v.PY312 and near.target is far.target and _is_passed_beside(near, far, positions):
        near, far, is_near_true = far, near, not is_near_true
    return as_asked(branch.test if is_near_true else negated(branch.test)), near, far


def _is_passed_beside(near: Edge, far: Edge, positions: Positions) -> bool:
    """Whether `pass` stands where the farther arm begins, on the line of the test that the nearer one still has."""
    beside, word = positions.at(near.laid_to), positions.at(far.laid_to)
    if beside is None or word is None:
        return False
    return word.width == len("pass") and word.line == beside.end_line and word.column >= beside.end_column


def returned_at_once(near: Edge, far: Edge) -> Suite:
    """`return`, where that is all of an arm and stands right after the test: else the other arm would stand there."""
    if not same_exit(near.target, None) or near.laid_to >= far.laid_to:
        return []
    return [returned_nothing(near.target)]


def returned_nothing(end: Block) -> ast.stmt:
    """`return`, or the `pass` that is known to have stood where a function comes to its end."""
    returned = end.statements[0]
    if not is_passed(returned):
        return copy_words(returned, ast.Return(None))
    return passing(returned)


def passing(returned: ast.stmt) -> ast.Pass:
    """The `pass` that a return stands for."""
    statement = ast.Pass()
    copy_mark(returned, statement)
    return statement


def passed(near: Edge, far: Edge) -> bool:
    """Whether an arm that does nothing is a `pass`, since it stands right after the test: else the other arm would."""
    via, at = near.via, near.laid_to
    is_jump = via is not None and (via.is_jump_statement if via.offset == at else via.offset < at)  # `while True:` too
    goes_back = is_jump and near.target.stands_at < at  # which a test cannot do at once
    return at < far.laid_to and not goes_back


def if_statement(test: ast.expr, body: Suite, orelse: Suite) -> Suite:
    """An if, without an else where the first arm never comes to its end."""
    if not body and orelse:
        test, body, orelse = as_asked(negated(test)), orelse, []
    statement = ast.If(test, body or [ast.Pass()], orelse)
    copy_mark(test, statement)
    if orelse and ends(body):
        statement.orelse = []
        return [statement, *orelse]
    return [statement]


def with_statement(entered: EnterWith, body: Suite) -> ast.With | ast.AsyncWith:
    """The with statement; one that is all of another's body joins it."""
    target: ast.expr | None = None
    first = body[0] if body else None
    if isinstance(first, ast.Assign) and first.value is entered.entered and len(first.targets) == 1:
        target, body = first.targets[0], body[1:]
    elif entered.entered.uses:
        target = entered.entered
    items = [ast.withitem(entered.manager, target)]
    kind = ast.AsyncWith if entered.is_async else ast.With
    if len(body) == 1 and type(body[0]) is kind:
        items += body[0].items
        body = body[0].body
    statement = kind(items, body or [ast.Pass()])
    copy_mark(entered, statement)
    return statement


def with_two_ways_on(entered: EnterWith, body: Suite, swallowed: Suite) -> Suite:
    """A with statement after which control goes elsewhere when the manager swallowed an exception.

    Dynamo makes these when it enters a manager again after a graph break: swallowing there is an error.
    """
    flag = Temp()
    flag.uses = 2
    return [
        ast.Assign([flag], ast.Constant(True)),
        with_statement(entered, [*body, ast.Assign([flag], ast.Constant(False))]),
        ast.If(flag, swallowed, []),
    ]


def match_statement(subject: ast.expr, cases: list[tuple[Case, Suite]], otherwise: Suite | None) -> ast.Match:
    """The match; what is done if no case agrees, if that stands in it, is a last case for everything."""
    clauses = [ast.match_case(case.pattern, case.guard, body or [ast.Pass()]) for case, body in cases]
    if otherwise is not None:
        clauses.append(ast.match_case(ast.MatchAs(None, None), None, otherwise))
    return ast.Match(subject, clauses)


def try_finally(body: Suite, final: Suite) -> ast.Try:
    """`try … finally`; a `try … except` that is all of its body is written as the same statement."""
    if len(body) == 1 and isinstance(body[0], TRIES) and not body[0].finalbody:
        body[0].finalbody = final
        return body[0]
    return ast.Try(body, [], [], final)


def try_star(body: Suite, clauses: list[ast.ExceptHandler]) -> ast.Try:
    """`try … except*`, which has the parts of any try."""
    statement: ast.Try = TRIES[-1](body or [ast.Pass()], clauses, [], [])
    return statement


def while_loop(test: ast.expr, body: Suite) -> ast.While:
    loop = ast.While(test, body or [ast.Pass()], [])
    copy_mark(test, loop)
    return loop


def iterable_of(head: NextItem, out: Suite) -> ast.expr:
    """What the loop runs over: the value whose iterator was just made, or the bare iterator."""
    last = out[-1] if out else None
    made_here = isinstance(last, Define) and last.temp is head.iterator and last.temp.uses == 1
    if made_here and isinstance(last, Define) and isinstance(last.value, GetIter):
        out.pop()
        return last.value.value
    return Helper("FOR_ITER", [head.iterator])
