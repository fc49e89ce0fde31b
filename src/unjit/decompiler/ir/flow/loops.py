"""Natural loops, nested."""

from __future__ import annotations

import bisect
import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from unjit.bytecode import versions as v
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.flow.dominators import Dominators
from unjit.decompiler.ir.flow.graph import Block, Branch, Edge, EnterTry, NextItem

_FAR = 32  # blocks after a loop that are looked at, so that many loops in a row cost no more than their length


@dataclass(eq=False)
class Loop:
    """All blocks that can come back to `header` without leaving what it dominates."""

    header: Block
    blocks: set[Block] = field(default_factory=set)
    once: bool = False  # whether it is a `for` that nothing comes back to, which takes one item at most

    @functools.cached_property
    def last_offset(self) -> int:
        """The offset of the last of its blocks, or of the last jump back to its head.

        From 3.12 on what only exceptions lead to stands after everything, and does not count: handlers, and what comes
        after them or after an `async for`.
        """
        if not v.PY312:
            return max(map(self.end_of, self.blocks))
        found, work = {self.header}, [self.header]
        while work:
            new = self.blocks.intersection(unless_raised(work.pop())) - found
            found |= new
            work += new
        return max(map(self.end_of, found))

    def end_of(self, block: Block) -> int:
        """The offset of one of its blocks, or of the jump back to the head that the block was led past."""
        if isinstance(block.terminator, EnterTry):
            return block.offset
        back = [edge.laid_to for edge in block.terminator.edges() if edge.target is self.header]
        return max(block.offset, *back) if back else block.offset

    @functools.cached_property
    def end(self) -> int:
        """The offset at which the code after the loop begins, as far as that is known."""
        head = self.header.terminator
        usual = head.exhausted if isinstance(head, NextItem) else self.exit_of_test()
        after = self.last_offset + 1
        return after if usual is None else max(after, usual.laid_to)

    @functools.cached_property
    def last_line(self) -> int:
        """The last line of its blocks."""
        return max(self.lines, default=0)

    @functools.cached_property
    def lines(self) -> set[int]:
        """The lines of its blocks."""
        return {i.line for block in self.blocks for i in block.instrs if i.line is not None}

    def exit_of_test(self) -> Edge | None:
        """The edge along which a `while` loop ends when the test at its head fails; None for any other loop.

        It leads out of the loop, and to nothing that is laid out between the loop's own blocks.
        """
        head = self.header.terminator
        if not isinstance(head, Branch) or self.header.statements or self._is_endless:
            return None
        for stay, leave in ((head.true, head.false), (head.false, head.true)):
            if stay.target in self.blocks and leave.target not in self.blocks:
                return None if self._stands_within(leave) else leave
        return None

    @functools.cached_property
    def _is_endless(self) -> bool:
        """Whether it is a `while True`, so that the test at its head is an `if` in its suite.

        Then the line of `while` is above that of the test: the jump back has it, from 3.14 on a NOP at the head.
        """
        header = self.header
        if not header.instrs:
            return False
        if v.PY314:
            first, second = header.instrs[0], header.instrs[-1]
            return first.op == "NOP" and first.line is not None and first.line < (second.line or 0)
        ways_back = ((edge.via or b, edge) for b in self.blocks for edge in b.terminator.edges())
        jumps = (before.instrs[-1] for before, edge in ways_back if edge.target is header and before.instrs)
        lines = [jump.line for jump in jumps if jump.op in v.UNCONDITIONAL_JUMPS and jump.line is not None]
        return bool(lines) and min(lines) < (header.first_line or 0)

    def ways_out(self, is_inside: Callable[[Block], bool]) -> set[Block]:
        """The blocks that control leaves the loop for, and what those of them lead to that are written inside it."""
        found: set[Block] = set()
        work = list(self.blocks)
        while work and len(found) < _FAR:
            for target in work.pop().successors():
                if target not in self.blocks and target not in found:
                    found.add(target)
                    work += [target] if is_inside(target) else []
        return found

    def _stands_within(self, edge: Edge) -> bool:
        """Whether an edge's target is itself laid out between the loop's blocks, not just a jump to it or a copy."""
        first, last = self.header.offset, self.last_offset
        return first < edge.laid_to <= last and first < edge.target.stands_at <= last


def unless_raised(block: Block) -> list[Block]:
    """Where control may go on if nothing raises."""
    onward = block.terminator
    if isinstance(onward, EnterTry) or (isinstance(onward, NextItem) and onward.is_async):
        return [onward.body.target]
    return block.successors()


class LoopRanges:
    """Which loops a place in the code is in."""

    def __init__(self, loops: Iterable[Loop]) -> None:
        self.loops = sorted(loops, key=lambda loop: (loop.header.offset, -loop.end))
        self.starts = [loop.header.offset for loop in self.loops]
        self.outer: list[int] = []  # the place in the list of the next loop around each, or -1
        open_: list[int] = []
        for k, loop in enumerate(self.loops):
            while open_ and self.loops[open_[-1]].end <= loop.header.offset:
                open_.pop()
            self.outer.append(open_[-1] if open_ else -1)
            open_.append(k)

    def around(self, offset: int) -> Iterator[Loop]:
        """The loops, innermost first."""
        k = bisect.bisect_right(self.starts, offset) - 1
        while k >= 0:
            if self.loops[k].end > offset:
                yield self.loops[k]
            k = self.outer[k]


def find_loops(dominators: Dominators) -> dict[Block, Loop]:
    """Each loop by its header. Raises CannotExpress for a cycle with several entries."""
    loops: dict[Block, Loop] = {}
    for block in dominators.order:
        for target in block.successors():
            if dominators.number[target] > dominators.number[block]:
                continue
            if not dominators.dominates(target, block):
                raise CannotExpress(f"the loop through offset {target.offset} has several entries")
            loop = loops.setdefault(target, Loop(target, {target}))
            _add_body(loop, block, dominators)
    for block in dominators.order:
        if isinstance(block.terminator, NextItem) and block not in loops:
            loops[block] = Loop(block, {block}, once=True)
    return loops


def _add_body(loop: Loop, latch: Block, dominators: Dominators) -> None:
    work = [latch]
    while work:
        block = work.pop()
        if block not in loop.blocks:
            loop.blocks.add(block)
            work += dominators.predecessors[block]
