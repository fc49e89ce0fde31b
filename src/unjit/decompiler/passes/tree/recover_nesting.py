"""Two statements, one within the other, that say what one of both says, where they were indented so.

*What the compiler did*: nothing; `if a: if b:` has the code of `if a and b:`, `if a: assert b` that of
`assert not a or b`, `with a: with b:` that of `with a, b:`, and a `try` within a `try … finally` that of one with both;
but from Python 3.11 on it notes columns. *The shape*: the later parts begin lines, as far to the right of what is
around them as the suite is of them. *What we produce*: a statement for each. *What we refuse*: parts of which nothing
tells where they begin.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise, product

from unjit.bytecode import versions as v
from unjit.decompiler.ir.as_written.indentation import Indentation
from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.tree.negation import negated
from unjit.decompiler.ir.tree.notes import copy_mark
from unjit.decompiler.ir.tree.suites import chained, rewrite_suites
from unjit.decompiler.kinds import annotated_by

_WIDTHS = (4, 2, 8, 1)  # what people indent by, the most usual first; a tab is one
_PARENTHESES = 2  # so many may stand before a part
_ELIF = 2  # how much further to the right its test stands than that of an `if`

_Make = Callable[[Sequence[ast.AST], list[ast.stmt]], ast.stmt]  # a statement of these parts around these statements


def run(body: list[ast.stmt], graph: Graph) -> list[ast.stmt]:
    if not v.PY311 or len(graph.blocks) == 1 or graph.is_comprehension or annotated_by(graph.code):
        return body
    nesting = _Nesting(body, Indentation(graph))
    return rewrite_suites(body, lambda suite: [nesting.recovered(statement) for statement in suite])


class _Nesting:
    def __init__(self, body: list[ast.stmt], indentation: Indentation) -> None:
        self.body, self.indentation = body, indentation

    @functools.cached_property
    def chained(self) -> set[int]:
        """What may be an `elif`, once that is asked."""
        return chained(self.body)

    def recovered(self, statement: ast.stmt) -> ast.stmt:
        """The statement, or those that it is made of, one in another."""
        match statement:
            case ast.If(test=ast.BoolOp(op=ast.And(), values=parts), orelse=[]):
                return self._divided(statement, "if ", parts, _if)
            case ast.With(items=[_, _, *_] as items) | ast.AsyncWith(items=[_, _, *_] as items):
                word = "with " if isinstance(statement, ast.With) else "async with "
                return self._divided(statement, word, items, type(statement))
            case ast.Assert(test=ast.BoolOp(op=ast.Or(), values=[first, *rest])):
                return self._asserted_under(statement, negated(first), _joined(ast.Or(), rest))
            case ast.Assert(test=ast.UnaryOp(op=ast.Not(), operand=ast.BoolOp(op=ast.And(), values=[first, *rest]))):
                return self._asserted_under(statement, first, negated(_joined(ast.And(), rest)))
            case ast.Try(body=[_, *_], handlers=[_, *_], finalbody=[_, *_]):
                return self._within_finally(statement)
            case ast.Try(body=[ast.Try(handlers=[_, *_], finalbody=[]) as inner], handlers=[], orelse=[]):
                return self._with_finally(statement, inner)
        return statement

    # ------------------------------------------------------------ tests and contexts
    def _divided(self, statement: ast.stmt, word: str, parts: Sequence[ast.AST], make: _Make) -> ast.stmt:
        """The statement, divided before those parts that begin a line after the word; each within the one before."""
        columns = {k: self._column_on_new_line(*pair, word) for k, pair in enumerate(pairwise(parts), 1)}
        if all(column is None for column in columns.values()):
            return statement
        own, suite = self.indentation.of(statement), self.indentation.of(statement.body[0])  # type: ignore[attr-defined]
        if own is None or suite is None:
            return statement
        starts = next(filter(None, self._ways_to_divide(statement, own, suite, columns)), None)
        if starts is None:
            return statement
        body: list[ast.stmt] = statement.body  # type: ignore[attr-defined]
        for start, end in reversed([*pairwise([0, *starts, len(parts)])]):
            made = make(parts[start:end], body)
            copy_mark(parts[start] if start else statement, made)
            body = [made]
        return body[0]

    def _ways_to_divide(
        self, statement: ast.stmt, told: int, suite: int, columns: Mapping[int, int | None]
    ) -> Iterator[list[int]]:
        """The parts that begin statements, the likeliest first, where the statement is told to begin at a column.

        It may be an `elif`, and, where suites are as far apart as most are, have parentheses before its test or a
        part.
        """
        words = (0, _ELIF) if id(statement) in self.chained else (0,)
        for width in _WIDTHS:
            most = _PARENTHESES if width == _WIDTHS[0] else 0
            for slack in sorted({0, most}):
                for word, parentheses in product(words, range(most + 1)):
                    yield _starts(told - word - parentheses, suite, columns, width, slack)

    def _column_on_new_line(self, before: ast.AST, part: ast.AST, word: str) -> int | None:
        """Where the word would begin that stands before a part; None where no line begins with it."""
        begun, first = self.indentation.first(before), self.indentation.first(part)
        if begun is None or first is None or first.line <= begun.line:
            return None
        return self.indentation.of_part(word, part) if first.line > self.indentation.last_line(before) else None

    def _asserted_under(self, statement: ast.Assert, condition: ast.expr, test: ast.expr) -> ast.stmt:
        """`if condition: assert test`, where the assertion begins a line."""
        own = self.indentation.of_part("if ", condition)
        column = self._column_on_new_line(condition, test, "assert ")
        if own is None or column is None or column - own not in _WIDTHS:
            return statement
        statement.test = test
        made = ast.If(condition, [statement], [])
        copy_mark(condition, made)
        return made

    # ------------------------------------------------------------ try
    def _within_finally(self, statement: ast.Try) -> ast.stmt:
        """Its body and clauses in a `try` of their own, if they are further to the right than its finally suite."""
        if not self._is_right_of(statement.body[0], statement.finalbody[0]):
            return statement
        inner = ast.Try(statement.body, statement.handlers, statement.orelse, [])
        copy_mark(statement, inner)
        statement.body, statement.handlers, statement.orelse = [inner], [], []
        return statement

    def _with_finally(self, statement: ast.Try, inner: ast.Try) -> ast.stmt:
        """One `try` with the clauses of the one within it, if that is not further to the right."""
        suite, final = self.indentation.of(inner.body[0]), self.indentation.of(statement.finalbody[0])
        if suite is None or suite != final:
            return statement
        statement.body, statement.handlers, statement.orelse = inner.body, inner.handlers, inner.orelse
        return statement

    def _is_right_of(self, statement: ast.stmt, other: ast.stmt) -> bool:
        column, also = self.indentation.of(statement), self.indentation.of(other)
        return column is not None and also is not None and column - also in _WIDTHS


def _starts(begin: int, suite: int, columns: Mapping[int, int | None], width: int, slack: int) -> list[int]:
    """The parts that begin statements, each so far to the right of the one before or a bit more, up to the suite."""
    starts: list[int] = []
    for k, column in columns.items():
        inner = begin + width * (len(starts) + 1)
        if inner >= suite:
            break
        if column is not None and 0 <= column - inner <= slack:
            starts.append(k)
    return starts if suite == begin + width * (len(starts) + 1) else []


def _if(tests: Sequence[ast.AST], body: list[ast.stmt]) -> ast.stmt:
    return ast.If(_joined(ast.And(), tests), body, [])


def _joined(operator: ast.boolop, tests: Sequence[ast.AST]) -> ast.expr:
    if len(tests) == 1:
        return tests[0]  # type: ignore[return-value]  # tests are expressions
    joined = ast.BoolOp(operator, [*tests])  # type: ignore[list-item]
    copy_mark(tests[0], joined)
    return joined
