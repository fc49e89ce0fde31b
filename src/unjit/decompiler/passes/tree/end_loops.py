"""Where an endless loop ends: what is written before a `break` in it, and what follows it.

*What the compiler did*: it laid out what follows the loop where the only `break` jumped to it, as it does with the
end of a function; or, outside of the loop, what stands before the `break` (3.14 and later). From Python 3.11 on it
notes columns. *The shape*: `while True` with one suite whose last statements begin further to the left than what the
loop begins with; or with one `break`, and statements after it that begin further to the right. *What we produce*: all
of them where their columns say; the `continue` of a loop around becomes the `break` that goes there. *What we refuse*:
statements that leave a `with`, a handler or a loop within, and jumps of a loop around that mean another in this one.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from unjit.bytecode import versions as v
from unjit.decompiler.ir.as_written.indentation import Indentation
from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.tree.constants import is_none
from unjit.decompiler.ir.tree.endings import ends, mark_ending
from unjit.decompiler.ir.tree.notes import is_written
from unjit.decompiler.ir.tree.suite_ends import End, ends_of
from unjit.decompiler.ir.tree.suites import LOOPS, Suite, is_broken_out_of, rewrite_suites, statements_in, suite_fields

_WIDTHS = (1, 2, 3, 4, 8)  # what people indent by; the place of some returns is that of something else


def run(body: list[ast.stmt], graph: Graph) -> list[ast.stmt]:
    if not v.PY311 or len(graph.blocks) == 1 or graph.is_comprehension:
        return body
    return rewrite_suites(body, _Ends(body, Indentation(graph)).ended)


class _Ends:
    """Where the endless loops of one body end."""

    def __init__(self, body: Suite, indentation: Indentation) -> None:
        self.body = body
        self.indentation = indentation

    @functools.cached_property
    def going_round(self) -> set[int]:
        """The ids of the loops in suites after whose end the next turn of a loop around begins."""
        return _going_round(self.body)

    def ended(self, suite: Suite) -> Suite:
        """The suite, with all that its endless loops end in and all that is after these in its place."""
        is_whole = suite is self.body
        for at in reversed(range(len(suite))):
            loop = suite[at]
            if isinstance(loop, ast.While) and _is_endless(loop):
                suite = [*suite[: at + 1], *self._after(loop, suite[at + 1 :], is_whole=is_whole)]
        return suite

    def _after(self, loop: ast.While, after: Suite, *, is_whole: bool) -> Suite:
        """What follows the loop in place of what was."""
        column = min((known for known in map(self.indentation.of, loop.body) if known is not None), default=None)
        if column is None:
            return after
        if not after:
            after = _taken_out(loop, column, self.indentation)
            return _without_ends(after) if is_whole else after
        if self.indentation.of(after[0]) == column:
            return self._put_after(loop, after, column)
        return self._put_back(loop, after, column)

    def _put_back(self, loop: ast.While, after: Suite, column: int) -> Suite:
        """What is left after the loop when that is put before its only `break` which stands further right."""
        breaking = [suite for suite in _leaving(loop) if isinstance(suite[-1], ast.Break)]
        columns = map(self.indentation.of, after)  # asked one by one: most often the first is no part of the loop
        count = next((k for k, known in enumerate(columns) if known is None or known <= column), len(after))
        if len(breaking) != 1 or not count or not self._may_move(loop, after, count):
            return after
        suite = _unprotected(breaking[0], loop)
        last = suite.pop()
        return _moved(loop, suite, after, count, last)

    def _put_after(self, loop: ast.While, after: Suite, column: int) -> Suite:
        """The same where each `break` ends an arm of the last statement of the loop: what they lead to is after it."""
        last = loop.body[-1]
        found = [End(loop.body, may_be_empty=True)] if isinstance(last, ast.Break) else ends_of(last)
        breaks = [end for end in found if isinstance(end.jump, ast.Break)]
        if not breaks or not ends([last]):
            return after
        count = next((k for k, part in enumerate(after) if (self.indentation.of(part) or 0) < column), len(after))
        if not self._may_move(loop, after, count):
            return after
        jump = breaks[0].jump
        for end in breaks:
            end.drop()
        return _moved(loop, loop.body, after, count, jump)

    def _may_move(self, loop: ast.While, after: Suite, count: int) -> bool:
        """Whether so many of the statements after the loop do the same in it: jumps of a loop around would be its own.

        A `break` of it goes on to the next turn of the loop around where nothing is left in between.
        """
        jumps = {type(jump) for suite in _own_suites(after[:count]) for jump in suite} & {ast.Break, ast.Continue}
        return not jumps or (jumps == {ast.Continue} and count == len(after) and id(loop) in self.going_round)


def _moved(loop: ast.While, suite: Suite, after: Suite, count: int, jump: ast.stmt) -> Suite:
    """What is left after a loop when so much of it is put at the end of a suite of it, where the `jump` out stood."""
    moved = [] if is_broken_out_of(loop) else after[:count]
    for own in _own_suites(moved):
        own[:] = [ast.Break() if isinstance(statement, ast.Continue) else statement for statement in own]
    is_ending = ends(moved) and not any(isinstance(one, ast.Break) for own in _own_suites(moved) for one in own)
    suite += moved if ends(moved) else [*moved, jump]
    mark_ending(loop, ending=is_ending)
    return after[len(moved) :]


def _going_round(body: Suite) -> set[int]:
    found: set[int] = set()
    work: list[tuple[Suite, bool]] = [(body, False)]
    while work:
        suite, goes_round = work.pop()
        for statement in suite:
            goes_on = goes_round and statement is suite[-1]
            if isinstance(statement, LOOPS):
                found |= {id(statement)} if goes_round else set()
                work += [(statement.body, True), (statement.orelse, goes_on)]
            elif isinstance(statement, ast.If):
                work += [(statement.body, goes_on), (statement.orelse, goes_on)]
            else:
                work += [(inner, False) for inner in _suites_of(statement)]
    return found


def _own_suites(suite: Suite) -> Iterator[Suite]:
    """A suite and those in it, but for those of loops, whose jumps are their own."""
    work = [suite]
    while work:
        suite = work.pop()
        yield suite
        for statement in suite:
            work += [statement.orelse] if isinstance(statement, LOOPS) else _suites_of(statement)


def _suites_of(statement: ast.stmt) -> list[Suite]:
    owners = (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ()))
    return [getattr(owner, field) for owner in owners for field in suite_fields(owner)]


def _is_endless(loop: ast.While) -> bool:
    return not loop.orelse and isinstance(loop.test, ast.Constant) and loop.test.value is True


def _taken_out(loop: ast.While, column: int, indentation: Indentation) -> Suite:
    """What follows the loop, taken out of its only suite that goes on with it: a `break` stands there instead."""
    if is_broken_out_of(loop):
        return []
    found = [(suite, at) for suite in _leaving(loop) if (at := _after_in(suite, column, indentation)) is not None]
    if len(found) != 1:
        return []
    suite, at = found[0]
    after, suite[at:] = suite[at:], [ast.Break()]
    mark_ending(loop, ending=False)
    return after


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


def _after_in(suite: Suite, column: int, indentation: Indentation) -> int | None:
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
