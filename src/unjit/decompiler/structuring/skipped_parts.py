"""What a jump forward skips: the other parts of statements that end with it.

Of `if a: x else: raise y` only `x` comes to what follows, so one edge leads there, and the graph does not say
whether it was written in the arm or after the `if`. The layout does: a jump over the other arm ends the statement. The
same holds for `else` of a `try` whose clauses all leave, where that suite is laid out before the clauses (3.11).
"""

from __future__ import annotations

import bisect

from unjit.bytecode import versions as v
from unjit.decompiler.ir.flow.dominators import Dominators
from unjit.decompiler.ir.flow.exits import is_bare_exit, is_empty_end
from unjit.decompiler.ir.flow.graph import Block, Branch, Construct, EnterTry, Jump, Match
from unjit.decompiler.ir.flow.loops import Loop


class SkippedParts:
    """The parts of statements that control never comes out of, by where they stand."""

    def __init__(self, dominators: Dominators, loops_of: dict[Block, list[Loop]]) -> None:
        self.dominators = dominators
        self.loops_of = loops_of
        self.reached = _reached(dominators, loops_of)
        parts = [
            (edge.laid_to, dominators.number[block])
            for block in dominators.order
            if isinstance(block.terminator, (Branch, EnterTry, Match))
            for edge in block.terminator.edges()[1:]
            if self._leaves(block, edge.target)
        ]
        self.parts = sorted(parts)

    def _leaves(self, block: Block, part: Block) -> bool:
        """Whether the part of the statement of `block` that begins so never falls through to what follows it."""
        dominators = self.dominators
        if is_bare_exit(part):
            return True
        if dominators.idom(part) is block:
            return self.reached[dominators.number[part]] > dominators.number[block]
        loops = self.loops_of.get(block, [])
        return any(part is loop.header or part not in loop.blocks for loop in loops[:1])

    def ended_by(self, block: Block, owner: Block, entries: list[Block]) -> Block | None:
        """The outermost statement, told by its first block, that the jumps from `entries` to `block` end.

        `owner` is the block after which `block` would stand else. None where they skip no part of a statement, and for
        the end of a module, which is laid out nowhere.
        """
        if not self.parts or is_empty_end(block):
            return None
        jumps = [jump for entry in entries if (jump := _jump_from(entry, block)) is not None]
        if len(jumps) < len(entries):
            return None
        first = bisect.bisect_right(self.parts, (max(jumps), len(self.dominators.order)))
        after = bisect.bisect_left(self.parts, (block.stands_at, -1))
        for _, number in reversed(self.parts[first:after]):
            statement = self.dominators.order[number]
            if self._is_around(statement, owner, block):
                return statement
        return None

    def _is_around(self, statement: Block, owner: Block, block: Block) -> bool:
        if not self.dominators.dominates(statement, owner) or statement.region != block.region:
            return False
        around = [loop for loop in self.loops_of.get(block, []) if loop.header is not block]
        return self.loops_of.get(statement, []) == around


def _jump_from(entry: Block, block: Block) -> int | None:
    """Where the jump from `entry` to `block` stands: an arm that is nothing else may be a part of that block by now."""
    if isinstance(entry.terminator, Jump):
        if isinstance(block.terminator, EnterTry) and block.terminator.construct is Construct.WITH:
            return entry.offset  # where its manager is made is a part of the statement
        # After the jump, the line of a `try` at its target may have become a part of the block.
        return next((i.offset for i in reversed(entry.instrs) if i.op != "NOP"), entry.offset)
    if not isinstance(entry.terminator, Branch) or not block.instrs:
        return None
    first = next((i for i in block.instrs if i.op != "NOP"), None)
    if block.instrs[0].offset == block.offset and first is not None and first.op in v.UNCONDITIONAL_JUMPS:
        return block.offset
    far = entry.terminator.edges()[1]  # from 3.12 on the test itself jumps, past the jump after its other arm
    is_jump = v.PY312 and far.target is block and far.laid_to == block.stands_at
    return entry.instrs[-1].offset if is_jump and entry.instrs else None


def _reached(dominators: Dominators, loops_of: dict[Block, list[Loop]]) -> list[int]:
    """For each block, the lowest number of an immediate dominator of what control comes to from what it dominates.

    Ways back to a loop do not count, nor, for what stands in a loop, ways out of it: `continue` and `break` say these.
    """
    number = dominators.number
    lowest = [len(dominators.order)] * len(dominators.order)
    for block in dominators.order:
        for target in block.successors():
            dominator = dominators.idom(target)
            if dominator is None or number[target] <= number[block]:
                continue
            left = [loop.header for loop in loops_of.get(block, []) if target not in loop.blocks]
            whence = number[left[-1] if left else block]
            lowest[whence] = min(lowest[whence], number[dominator])
    for k in range(len(lowest) - 1, 0, -1):
        above = dominators.idom(dominators.order[k])
        if above is not None:
            lowest[number[above]] = min(lowest[number[above]], lowest[k])
    return lowest
