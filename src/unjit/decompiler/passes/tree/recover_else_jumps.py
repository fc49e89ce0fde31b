"""A `break` or `continue` that a `try` body ends in was its `else` where it stands below the clauses.

*What the compiler did*: nothing; the code is the same, but from Python 3.11 on it notes places. *The shape*: a `try`
without `else` and `finally` whose body ends in a jump, and below what its clauses do, on the next line that has more
than a `pass` or the other jump, a word as wide as that of the jump and nothing else, further to the right than the
`try`. *What we produce*: the jump as the `else`. *What we refuse*: clauses that have a jump of the kind themselves,
whose word that may be.
"""

from __future__ import annotations

import ast

from unjit.bytecode import versions as v
from unjit.bytecode.instructions.positions import Position
from unjit.decompiler.ir.as_written.indentation import Indentation
from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.tree.suites import Suite, rewrite_suites, statements_in

_WIDTHS: dict[type[ast.stmt], int] = {ast.Break: len("break"), ast.Continue: len("continue"), ast.Pass: len("pass")}


def run(body: Suite, graph: Graph) -> Suite:
    if not v.PY311 or len(graph.blocks) == 1 or graph.is_comprehension:
        return body
    indentation = Indentation(graph)
    return rewrite_suites(body, lambda suite: _told(suite, indentation))


def _told(suite: Suite, indentation: Indentation) -> Suite:
    for statement in suite:
        if isinstance(statement, ast.Try) and _ends_in_jump_below(statement, indentation):
            statement.orelse = [statement.body.pop()]
    return suite


def _ends_in_jump_below(statement: ast.Try, indentation: Indentation) -> bool:
    """Whether the last statement of the body stands below the clauses, and is a jump."""
    jump, clauses = type(statement.body[-1]), statement.handlers
    if jump not in (ast.Break, ast.Continue) or len(statement.body) < 2 or statement.orelse or statement.finalbody:
        return False
    if any(isinstance(part, jump) for clause in clauses for part in statements_in(clause.body)):
        return False
    column = indentation.of(statement)
    last = max(map(indentation.last_line, clauses))
    if column is None or not last:
        return False
    word = _word_below(last, {width for kind, width in _WIDTHS.items() if kind is not jump}, indentation)
    return word is not None and word.width == _WIDTHS[jump] and word.column > column


def _word_below(line: int, passed: set[int], indentation: Indentation) -> Position | None:
    """The one place on the next line below that has any but one of such a width; None where it has several."""
    positions = indentation.graph.positions
    for number in positions.lines_below(line):
        places = {*positions.on_line(number)}
        if len(places) != 1:
            return None
        (place,) = places
        if place.width not in passed:
            return place
    return None
