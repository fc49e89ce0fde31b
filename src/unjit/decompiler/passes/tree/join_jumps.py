"""A `break` or `continue` stands once, after the statement that comes to it from several suites.

*What the compiler did*: it gave each suite that ends before the jump one of its own, or let what protects a suite
end in between; but from Python 3.11 on it notes in which place of the source each stands. *The shape*: jumps of one
place at the ends of the suites of a statement, or one that begins no further to the right than the statement.
*What we produce*: the jump after the statement. *What we refuse*: statements that something else comes out of.
"""

from __future__ import annotations

import ast
from collections import Counter

from unjit.bytecode import versions as v
from unjit.bytecode.instructions.positions import Position
from unjit.decompiler.ir.as_written.indentation import Indentation
from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.tree.endings import ends
from unjit.decompiler.ir.tree.suite_ends import JUMPS, End, ends_of
from unjit.decompiler.ir.tree.suites import LOOPS, Suite, chained, rewrite_suites


def run(body: Suite, graph: Graph) -> Suite:
    if not v.PY311 or graph.is_comprehension or v.BACKWARD_JUMPS.isdisjoint(graph.operations):
        return body
    if next(graph.positions.all(), None) is None:
        return body
    return rewrite_suites(body, _Jumps(body, Indentation(graph)).joined)


class _Jumps:
    def __init__(self, body: Suite, indentation: Indentation) -> None:
        self.indentation = indentation
        self.chained = chained(body)

    def joined(self, suite: Suite) -> Suite:
        """The suite, with each jump in it where it was written; of a chain of `elif` all at once."""
        for loop in suite:
            if isinstance(loop, LOOPS):
                self._drop_unwritten(loop)
        last = suite[-1]
        if id(last) not in self.chained and not isinstance(last, JUMPS) and ends([last]):
            for place, number in self._places(last).items():
                suite = self._with_jump(suite, place, number)
        return self._written_once(suite) if isinstance(suite[-1], JUMPS) else suite

    def _drop_unwritten(self, loop: ast.For | ast.AsyncFor | ast.While) -> None:
        """Leave out what goes on with a loop at the end of its suite, if nothing tells that it was written."""
        last = loop.body[-1]
        for end in [End(loop.body, may_be_empty=False)] if isinstance(last, JUMPS) else [*ends_of(last)]:
            if isinstance(end.jump, ast.Continue) and self.indentation.place(end.jump) is None:
                end.drop()

    def _places(self, statement: ast.stmt) -> Counter[Position]:
        """How many jumps have each place, the one furthest to the right first."""
        found = Counter(place for end in ends_of(statement) if (place := self.indentation.place(end.jump)) is not None)
        return Counter({place: found[place] for place in sorted(found, key=lambda place: -place.column)})

    def _with_jump(self, suite: Suite, place: Position, number: int) -> Suite:
        """The suite with the jump of a place after what comes to it, if it stands there."""
        if isinstance(suite[-1], JUMPS):
            return suite
        column = self.indentation.of(suite[-1])
        if column is not None and place.column <= column:
            return self._written_once([*suite, self._jump(suite[-1], place)])
        holder = self._innermost(suite, place) if number > 1 else None
        if holder is not None:
            holder[:] = self._written_once([*holder, self._jump(holder[-1], place)])
        return suite

    def _jump(self, statement: ast.stmt, place: Position) -> ast.stmt:
        return next(end.jump for end in ends_of(statement) if self.indentation.place(end.jump) == place)

    def _innermost(self, suite: Suite, place: Position) -> Suite | None:
        """The suite that a chain of `elif` goes on in, if all jumps of the place are in the rest of that."""
        while isinstance(chain := suite[-1], ast.If) and not self._comes_to(chain.body, place):
            if len(chain.orelse) != 1:
                return None
            suite = chain.orelse
        return suite

    def _comes_to(self, suite: Suite, place: Position) -> bool:
        last = suite[-1]
        jumps = [last] if isinstance(last, JUMPS) else [end.jump for end in ends_of(last)]
        return any(self.indentation.place(jump) == place for jump in jumps)

    def _written_once(self, suite: Suite) -> Suite:
        """The suite that ends in a jump, without those of the same place before it."""
        *before, jump = suite
        place = self.indentation.place(jump)
        for at in reversed(range(len(before)) if place is not None else ()):
            statement, is_last = before[at], at == len(before) - 1
            if not is_last and not (isinstance(statement, ast.If) and not statement.orelse and ends(statement.body)):
                continue
            ways = [end for end in ends_of(statement) if self.indentation.place(end.jump) == place]
            if ways and not is_last and isinstance(statement, ast.If):
                before, statement.orelse = before[: at + 1], before[at + 1 :]
            for way in ways:
                way.drop()
        return [*before, jump]
