"""Where an endless loop ends: what is written in front of a `break` in it, and what is behind it.

*What the compiler did*: it laid out what is behind the loop where the only `break` jumped to it, as it does with the
end of a function; or what the `break` stands behind outside of the loop (3.14 and later). From Python 3.11 on it notes
columns. *The shape*: `while True` with one suite whose last statements begin further to the left than what the loop
begins with; or with one `break`, and statements behind it that begin further to the right. *What we produce*: all of
them where their columns say. *What we refuse*: statements that leave a `with`, a handler or a loop within.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unjit.bytecode import versions as v
from unjit.decompiler.ir.constants import is_none
from unjit.decompiler.ir.endings import ends, mark_ending
from unjit.decompiler.ir.graph import Graph
from unjit.decompiler.ir.indentation import Indentation
from unjit.decompiler.ir.notes import is_written
from unjit.decompiler.ir.suite_ends import End, ends_of
from unjit.decompiler.ir.suites import LOOPS, Suite, is_broken_out_of, rewrite_suites, statements_in

_WIDTHS = (1, 2, 3, 4, 8)  # what people indent by; the place of some returns is that of something else


def run(body: list[ast.stmt], graph: Graph) -> list[ast.stmt]:
    if not v.PY311 or len(graph.blocks) == 1 or graph.is_comprehension:
        return body
    indentation = Indentation(graph)
    return rewrite_suites(body, lambda suite: _ended(suite, indentation, is_whole=suite is body))


def _ended(suite: Suite, indentation: Indentation, *, is_whole: bool) -> Suite:
    """The suite, with all that its endless loops end in and all that is behind these in its place."""
    for at in reversed(range(len(suite))):
        loop = suite[at]
        if isinstance(loop, ast.While) and _is_endless(loop):
            suite = [*suite[: at + 1], *_behind(loop, suite[at + 1 :], indentation, is_whole=is_whole)]
    return suite


def _behind(loop: ast.While, behind: Suite, indentation: Indentation, *, is_whole: bool) -> Suite:
    """What is behind the loop in place of what was."""
    column = min((known for known in map(indentation.of, loop.body) if known is not None), default=None)
    if column is None:
        return behind
    if behind:
        return _put_back(loop, behind, column, indentation)
    behind = _taken_out(loop, column, indentation)
    return _without_ends(behind) if is_whole else behind


def _is_endless(loop: ast.While) -> bool:
    return not loop.orelse and isinstance(loop.test, ast.Constant) and loop.test.value is True


def _taken_out(loop: ast.While, column: int, indentation: Indentation) -> Suite:
    """What is behind the loop, taken out of its only suite that goes on with it: a `break` stands there instead."""
    if is_broken_out_of(loop):
        return []
    found = [(suite, at) for suite in _leaving(loop) if (at := _behind_in(suite, column, indentation)) is not None]
    if len(found) != 1:
        return []
    suite, at = found[0]
    behind, suite[at:] = suite[at:], [ast.Break()]
    mark_ending(loop, ending=False)
    return behind


def _put_back(loop: ast.While, behind: Suite, column: int, indentation: Indentation) -> Suite:
    """What is left behind the loop when that is put in front of its only `break` which stands further to the right."""
    if indentation.of(behind[0]) == column:
        return _put_behind(loop, behind, column, indentation)
    breaking = [suite for suite in _leaving(loop) if isinstance(suite[-1], ast.Break)]
    columns = map(indentation.of, behind)  # asked one by one: most often the first is no part of the loop
    count = next((k for k, known in enumerate(columns) if known is None or known <= column), len(behind))
    if len(breaking) != 1 or not count:
        return behind
    suite = _unprotected(breaking[0], loop)
    last = suite.pop()
    is_only = not is_broken_out_of(loop)
    moved = behind[:count] if is_only else []
    suite += moved if ends(moved) else [*moved, last]
    mark_ending(loop, ending=is_only and ends(moved))
    return behind[len(moved) :]


def _put_behind(loop: ast.While, behind: Suite, column: int, indentation: Indentation) -> Suite:
    """The same where the only `break` ends the last statement of the loop: what it led to stands behind that."""
    last = loop.body[-1]
    found = [End(loop.body, may_be_empty=True)] if isinstance(last, ast.Break) else ends_of(last)
    breaks = [end for end in found if isinstance(end.jump, ast.Break)]
    if len(breaks) != 1 or not ends([last]):
        return behind
    count = next((k for k, part in enumerate(behind) if (indentation.of(part) or 0) < column), len(behind))
    jump = breaks[0].jump
    breaks[0].drop()
    is_only = not is_broken_out_of(loop)
    moved = behind[:count] if is_only else []
    loop.body += moved if ends(moved) else [*moved, jump]
    mark_ending(loop, ending=is_only and ends(moved))
    return behind[len(moved) :]


def _unprotected(suite: Suite, loop: ast.While) -> Suite:
    """The suite; in place of the body of a `try`, in which what raises is caught, an `else` that ends as it did."""
    owner = next((one for one in statements_in(loop.body) if isinstance(one, ast.Try) and one.body is suite), None)
    if owner is None:
        return suite
    owner.orelse = [suite.pop()]
    return owner.orelse


def _leaving(loop: ast.While) -> Iterator[Suite]:
    """The suites that control does not fall out of, and that no statement but the loop and a `try` must be left for."""
    work: list[Suite] = [loop.body]
    while work:
        suite = work.pop()
        if ends(suite):
            yield suite
        for statement in suite:
            if isinstance(statement, ast.If):
                work += [statement.body, statement.orelse]
            elif isinstance(statement, ast.Match):
                work += [case.body for case in statement.cases]
            elif isinstance(statement, ast.Try) and not statement.finalbody:
                work.append(statement.orelse or statement.body)
            elif isinstance(statement, LOOPS):
                work.append(statement.orelse)


def _behind_in(suite: Suite, column: int, indentation: Indentation) -> int | None:
    """Where in a suite that begins which stands beside the loop, not in what begins at the column; None for nowhere."""
    at = end = len(suite) - _is_end(suite[-1])
    while at and (known := indentation.of(suite[at - 1])) is not None and column - known in _WIDTHS:
        at -= 1
    goes_back = any(isinstance(statement, ast.Continue) for statement in statements_in(suite[at:]))
    return at if at < end and not goes_back else None


def _without_ends(suite: Suite) -> Suite:
    """What ends the function, without the returns that only say so, of which the compiler made one for each arm."""
    if suite and _is_end(suite[-1]):
        suite = suite[:-1]
    last = suite[-1] if suite else None
    if isinstance(last, ast.If):
        last.body, last.orelse = _without_ends(last.body) or last.body, _without_ends(last.orelse)
    return suite


def _is_end(statement: ast.stmt) -> bool:
    """Whether it is the end of the function, which nobody wrote."""
    if not isinstance(statement, ast.Return) or is_written(statement):
        return False
    return statement.value is None or is_none(statement.value)
