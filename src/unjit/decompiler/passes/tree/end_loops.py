"""A `break` out of an endless loop in front of what is behind it, where that stood no deeper than the loop.

*What the compiler did*: it laid out what is behind the loop where the only `break` jumped to it, as it does with the
end of a function; or jumped there. From Python 3.11 on it notes columns. *The shape*: `while True` that nothing breaks
out of, with one suite whose last statements begin further to the left than all that the loop begins with. *What we
produce*: a `break` in their place, and them behind the loop. *What we refuse*: statements that leave a `try`, a `with`
or a loop within, which nothing says where it is; and loops that something stands behind.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from unjit.bytecode import versions as v
from unjit.decompiler.ir.endings import ends, mark_ending
from unjit.decompiler.ir.graph import Graph
from unjit.decompiler.ir.indentation import Indentation
from unjit.decompiler.ir.notes import is_written
from unjit.decompiler.ir.suites import Suite, is_broken_out_of, rewrite_suites, statements_in


def run(body: list[ast.stmt], graph: Graph) -> list[ast.stmt]:
    if not v.PY311 or len(graph.blocks) == 1 or graph.is_comprehension:
        return body
    indentation = Indentation(graph)
    return rewrite_suites(body, lambda suite: _ended(suite, indentation, is_whole=suite is body))


def _ended(suite: Suite, indentation: Indentation, *, is_whole: bool) -> Suite:
    """The suite with what was behind its last statement there, if that is an endless loop."""
    loop = suite[-1]
    if not isinstance(loop, ast.While) or not _is_endless(loop) or is_broken_out_of(loop):
        return suite
    found = [(inner, at) for inner in _suites_of(loop) if (at := _end_of(inner, loop, indentation)) is not None]
    if len(found) != 1:
        return suite
    inner, at = found[0]
    behind, inner[at:] = inner[at:], [ast.Break()]
    mark_ending(loop, ending=False)
    if is_whole and _ends_by_itself(behind):
        behind.pop()
    return [*suite, *behind]


def _is_endless(loop: ast.While) -> bool:
    return isinstance(loop.test, ast.Constant) and loop.test.value is True and not loop.orelse


def _suites_of(loop: ast.While) -> Iterator[Suite]:
    """The suites from which a `break` leaves nothing but the loop, and which end in something that leaves."""
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


def _end_of(suite: Suite, loop: ast.While, indentation: Indentation) -> int | None:
    """Where in a suite that begins which stands further to the left than the loop's suite; None for nowhere."""
    columns = [column for column in map(indentation.of, loop.body) if column is not None]
    at = end = len(suite) - _ends_by_itself(suite)
    while columns and at:
        column = indentation.of(suite[at - 1])
        if column is None or column >= min(columns):
            break
        at -= 1
    goes_back = any(isinstance(statement, ast.Continue) for statement in statements_in(suite[at:]))
    return at if at < end and not goes_back else None


def _ends_by_itself(suite: Suite) -> bool:
    """Whether the suite's last statement is the end of the function, which nobody wrote."""
    last = suite[-1]
    return isinstance(last, ast.Return) and last.value is None and not is_written(last)
