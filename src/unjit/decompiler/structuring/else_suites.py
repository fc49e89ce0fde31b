"""Whether what only the body of a `try` comes to is its `else` suite, or stands after the statement.

*What the compiler did*: it laid out the else suite before the clauses, and what follows the statement after
them; from 3.12 on all handlers stand at the end of the code, in the same order. *What tells*, where both would do since
no clause goes on with what follows: the place of the suite itself, or of the first handler in it; whether the end of
a clause has a line of its own, as a `continue` has, or is a `pass`; or how a loop is gone on with: what stands in a
`try` first jumps to its end. *Where nothing tells*, a `continue` is what most would write.
"""

from __future__ import annotations

import ast

from unjit.bytecode import versions as v
from unjit.bytecode.instructions.positions import Positions
from unjit.decompiler.ir.as_written.jump_words import going_on
from unjit.decompiler.ir.flow.dominators import Dominators
from unjit.decompiler.ir.flow.graph import Block, Branch, Construct, Edge, EnterTry, Jump
from unjit.decompiler.ir.flow.jumps import onward


class ElseSuites:
    def __init__(self, dominators: Dominators, positions: Positions) -> None:
        self.dominators, self.positions = dominators, positions
        self.first_handler: dict[Block, int] = {}  # in what each block dominates, where there is one

    def stands_before_clauses(self, suite: Block, enter: EnterTry, header: Block | None) -> bool:
        """`header` is that of the loop that is gone on with after the clauses, if that is what follows."""
        if not v.PY311:  # only a return, copied to where the body ends, stands there
            return False
        if _stays_in_place(suite):
            return suite.stands_at < enter.caught.target.offset
        clauses = enter.caught.target
        if any(b.region == clauses.region and _falls_through(b) for b in self.dominators.dominated(clauses)):
            return True
        handler = self._first_handler_in(suite)
        if handler is not None:
            return handler < enter.handler
        if header is None:
            return False
        return self._tests_jump_to_the_end(suite, header) or self._passes_in(clauses, header)

    def _passes_in(self, clauses: Block, header: Block) -> bool:
        """Whether a clause goes back to the loop from a `pass`, as none does that stands before anything else."""
        back = [block for block in self.dominators.dominated(clauses) if _goes_to(block, header)]
        lines = {instr.line for block in back for instr in block.instrs[-1:] if instr.op == "POP_EXCEPT"}
        return any(line is not None and isinstance(going_on(line, self.positions), ast.Pass) for line in lines)

    def stands_after_clauses(self, suite: Block, enter: EnterTry) -> bool:
        """Whether what follows the body at the end of the function is no `else`, since each clause returns before."""
        if not v.PY311:
            return False
        if self._is_cleaned_up(suite):  # after a return in a clause, what cleans up was copied
            clauses = enter.caught.target
            targets = {target for block in self.dominators.dominated(clauses) for target in block.successors()}
            return all(target.region[: len(clauses.region)] == clauses.region for target in targets)
        if _stays_in_place(suite):
            return suite.stands_at > enter.caught.target.offset
        handler = self._first_handler_in(suite)
        return handler is not None and handler > enter.handler

    def _is_cleaned_up(self, block: Block) -> bool:
        """Whether something is done where control leaves the suites that a block is in."""
        handlers = {region.handler for region in block.region if region.kind == "try"}
        around = (above.terminator for above in self.dominators.order if isinstance(above.terminator, EnterTry))
        return any(enter.handler in handlers and enter.construct is not Construct.TRY for enter in around)

    def stands_after_all(self, enter: EnterTry, header: Block | None) -> bool:
        """Whether the suite stands after the statement in a loop, since each clause goes back by a `continue`."""
        if v.PY311 or header is None:
            return v.PY311
        clauses = list(self.dominators.dominated(enter.caught.target))
        end = max(block.instrs[-1].offset for block in clauses if block.instrs)
        ways = [
            (block, edge) for block in clauses for edge in block.terminator.edges() if onward(edge.target) is header
        ]
        return all(edge.target is header and _is_continue(block, edge, end) for block, edge in ways)

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

    def _tests_jump_to_the_end(self, suite: Block, header: Block) -> bool:
        """Whether tests in the suite jump over what is left of it, and none goes back to the loop at once."""
        jumping = False
        for block in self.dominators.predecessors[header]:
            branch = block.terminator
            if not isinstance(branch, Branch) or not self.dominators.dominates(suite, block):
                continue
            back, other = (branch.true, branch.false) if branch.true.target is header else (branch.false, branch.true)
            if back.line is None and back.laid_to < other.laid_to:
                return False
            jumping = jumping or back.laid_to > other.laid_to
        return jumping


def _stays_in_place(suite: Block) -> bool:
    """Whether clauses stand where they were written: from 3.12 on only within a handler, which is moved as a whole."""
    return not v.PY312 or any(region.kind == "except" for region in suite.region)


def _falls_through(block: Block) -> bool:
    """Whether a clause ends on the line of its last statement; the POP_TOP that it begins with is on the line above.

    The end may be a block of its own, which other ways lead to as well.
    """
    jump = block.terminator
    if isinstance(jump, Jump) and block.statements and jump.edge.laid_to == jump.edge.target.offset:
        end = jump.edge.target.instrs[:1]
        if end and end[0].op == "POP_EXCEPT" and end[0].line == block.last_line:
            return True
    left = next((k for k, instr in enumerate(block.instrs) if instr.op == "POP_EXCEPT"), 0)
    if left == 0 or (left == 1 and block.instrs[0].op == "POP_TOP"):
        return False
    return block.instrs[left].line == block.instrs[left - 1].line


def _is_continue(block: Block, edge: Edge, end: int) -> bool:
    """Whether the way back to a loop is a `continue`: it has a line of its own, and does not go through what follows.

    `end` is where the clauses end.
    """
    last = edge.via or block
    if max(last.offset, edge.laid_to) > end + v.CODE_UNIT:  # a jump right at the end may be that of a clause
        return False
    return edge.line is not None or last.last_line != block.last_line


def _goes_to(block: Block, header: Block) -> bool:
    return isinstance(block.terminator, Jump) and onward(block.terminator.edge.target) is header
