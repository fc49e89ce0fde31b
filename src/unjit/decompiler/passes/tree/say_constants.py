"""Tests of constants, in the words that were written, which their width tells.

*What the compiler did*: nothing is left of the test of `while 1`, `if __debug__` or `if True` but a NOP, if it has a
line of its own; from Python 3.12 on that has the place of the constant. *The shape*: a NOP as wide as one of these, and
in the next place what a statement begins with that is further to the right. *What we produce*: `while 1` for `while
True`; an `if` around the statements that are further to the right than it. *What we refuse*: suites of which it is not
known where each statement begins, and constants that nobody tests.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections import defaultdict
from typing import TypeGuard

from unjit.bytecode import decode
from unjit.bytecode import versions as v
from unjit.bytecode.instructions.positions import Position
from unjit.decompiler.ir.as_written.indentation import Indentation
from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.flow.jumps import ONLY_GOES
from unjit.decompiler.ir.tree.nodes import LOAD, TRIES, Lowered
from unjit.decompiler.ir.tree.suites import Suite, suite_fields

_INDENTED = (4, 8)  # by what people indent, but for 1 and 2: an `if` so far to the left may be a `while` or `case _`
_CHAINED = (4, 2, 8)  # what an `elif` is in tells that it is none of these
_TRUTHS: dict[int | None, str] = {len(word): word for word in ("1", "True", "__debug__")}

_Tests = dict[Position, list[Position]]  # by the place that they stand before, outermost first


def run(body: Suite, graph: Graph) -> Suite:
    if not v.PY312 or "NOP" not in graph.operations or graph.is_comprehension:
        return body
    tests = _tests_in(graph)
    return _Saying(Indentation(graph), tests).said(body) if tests else body


def _tests_in(graph: Graph) -> _Tests:
    """The NOPs that may be left of tests, by the next place of which more is left."""
    instrs = [(place, instr.op) for instr in decode(graph.code) if (place := graph.positions.at(instr.offset))]
    nops = {place for place, op in instrs if op == "NOP" and place.width in _TRUTHS}
    # Before 3.14 the jump back to a `while` has the place of its test.
    worked = sorted({place for place, op in instrs if op not in ONLY_GOES}) if nops else []
    found: _Tests = defaultdict(list)
    for test in sorted(nops.difference(worked)):
        following = bisect_right(worked, test)
        if following < len(worked):
            found[worked[following]].append(test)
    return found


class _Saying:
    def __init__(self, indentation: Indentation, tests: _Tests) -> None:
        self.indentation, self.tests = indentation, tests
        self.begin = 0  # the column of the body's statements

    def said(self, body: Suite) -> Suite:
        """The suite with its tests of constants, and so with all suites in it, outer ones first."""
        body = list(body)
        self.begin = next((own for own in map(self.indentation.of, body) if own is not None), 0)
        work: list[tuple[Suite, bool]] = [(body, False)]
        while work:
            suite, is_else = work.pop()
            at = 0
            while at < len(suite):
                self._say(suite, at, is_else=is_else and at == 0)
                statement = suite[at]
                for part in (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
                    is_if = isinstance(part, ast.If)
                    work += [(getattr(part, field), is_if and field == "orelse") for field in suite_fields(part)]
                at += 1
        return body

    def _say(self, suite: Suite, at: int, *, is_else: bool) -> None:
        """The outermost test before a statement becomes its own, or an `if` around it and what follows it."""
        statement = suite[at]
        tests = self.tests.get(self._begins(statement))  # type: ignore[arg-type]  # None is no place
        if not tests:
            return
        column = tests[0].column - len("if ")
        is_under = self._is_under(statement, column)
        if _is_endless(statement):
            if self._begins_at(statement, tests[0].column - len("while ")):
                statement.test = _truth(tests.pop(0))
                return
            is_under = len(tests) > 1 and tests[1].column - len("while ") - column in _INDENTED
        if is_else and not is_under:
            column = tests[0].column - len("elif ")
            is_under = self._is_under(statement, column, _CHAINED)
        if is_under and self._is_in_line(column):
            end = self._end_of_suite(suite, at, column)
            suite[at:end] = [ast.If(_truth(tests.pop(0)), suite[at:end], [])]

    def _begins_at(self, loop: ast.While, column: int) -> bool:
        """Whether an endless loop begins at a column: its suite is to the right, or most other things are in line."""
        if self.indentation.of(loop.body[0]) is not None:
            return self._is_under(loop.body[0], column, (*_CHAINED, 1))
        return self._is_in_line(column)

    def _is_in_line(self, column: int) -> bool:
        """Whether a column is one that statements begin at, where they are indented as most are."""
        return (column - self.begin) % _INDENTED[0] == 0

    def _begins(self, statement: ast.stmt) -> Position | None:
        """The first place of anything in a statement."""
        while isinstance(statement, TRIES) or _is_endless(statement):
            statement = statement.body[0]
        suites = {*suite_fields(statement), "cases"}
        header = [value for field, value in ast.iter_fields(statement) if field not in suites]
        parts = [part for value in header for part in (value if isinstance(value, list) else [value])]
        nodes = [statement, *(node for part in parts if isinstance(part, ast.AST) for node in ast.walk(part))]
        return min(filter(None, map(self.indentation.place, nodes)), default=None)

    def _is_under(self, statement: ast.stmt, column: int, indented: tuple[int, ...] = _INDENTED) -> bool:
        """Whether a statement begins as far to the right of a column as a suite does of what it is in."""
        own = self.indentation.of(statement)
        return own is not None and own - column in indented

    def _end_of_suite(self, suite: Suite, first: int, column: int) -> int:
        """The index after the last statement that is known to be further to the right, with all before it."""
        end = first + 1
        for at in range(end, len(suite)):
            own = self.indentation.of(suite[at])
            if own is not None and own <= column:
                break
            end = end if own is None else at + 1
        return end


def _is_endless(statement: ast.stmt) -> TypeGuard[ast.While]:
    return isinstance(statement, ast.While) and getattr(statement.test, "value", None) is True


def _truth(test: Position) -> ast.expr:
    word = _TRUTHS[test.width]
    return Lowered(ast.Name(word, LOAD)) if word == "__debug__" else ast.Constant(ast.literal_eval(word))
