"""Whether what only the body of a `try` comes to is its `else` suite, or stands behind the statement.

*What the compiler did*: it laid out the else suite in front of the clauses, and what is behind the statement behind
them; from 3.12 on all handlers stand at the end of the code, in the same order. *What tells*, where both would do since
the clauses end by a word: the place of the suite itself, or of the first handler in it, or how a loop is gone on with:
what stands in a `try` first jumps to its end.
"""

from __future__ import annotations

from unjit.bytecode import versions as v
from unjit.decompiler.ir.dominators import Dominators
from unjit.decompiler.ir.graph import Block, Branch, EnterTry, Region


class ElseSuites:
    def __init__(self, dominators: Dominators) -> None:
        self.dominators = dominators
        self.first_handler: dict[Block, int] = {}  # in what each block dominates, where there is one

    def stands_before_clauses(self, suite: Block, enter: EnterTry, header: Block | None) -> bool:
        """`header` is that of the loop that is gone on with behind the clauses, if that is what follows."""
        if not v.PY312:
            return suite.stands_at < enter.caught.target.offset
        handler = self._first_handler_in(suite)
        if handler is not None:
            return handler < enter.handler
        if header is None:
            return True
        return not self._tests_go_back(suite, header) and not self._clauses_go_back(enter, header)

    def _first_handler_in(self, suite: Block) -> int | None:
        order = self.dominators.order
        if not self.first_handler:
            for block in reversed(order):
                above = self.dominators.idom(block)
                own = [block.terminator.handler] if isinstance(block.terminator, EnterTry) else []
                below = [*own, *([self.first_handler[block]] if block in self.first_handler else [])]
                if below:
                    self.first_handler[block] = min(below)
                    if above is not None:
                        self.first_handler[above] = min(*below, self.first_handler.get(above, below[0]))
        return self.first_handler.get(suite)

    def _tests_go_back(self, suite: Block, header: Block) -> bool:
        """Whether a test in the suite goes back to the loop at once, where it is no `continue`."""
        for block in self.dominators.into[header]:
            branch = block.terminator
            if not isinstance(branch, Branch) or not self.dominators.dominates(suite, block):
                continue
            back, other = (branch.true, branch.false) if branch.true.target is header else (branch.false, branch.true)
            if back.line is None and back.laid_to < other.laid_to:
                return True
        return False

    def _clauses_go_back(self, enter: EnterTry, header: Block) -> bool:
        """Whether a clause goes on with a while loop at its head, past the copy of its test behind the suite."""
        leading = self.dominators.into[header]
        edges = (edge for block in leading for edge in block.terminator.edges() if edge.target is header)
        if all(edge.place is not None for edge in edges):
            return False  # nothing was a copy of the test
        clauses = Region("except", enter.handler)
        return any(clauses in block.region for block in leading)
