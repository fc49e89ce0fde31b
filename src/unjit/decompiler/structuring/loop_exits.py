"""Which loop a block is after, of those around what leads to it: the shape tells, and where it does not, the layout.

*What the compiler did*: what follows a loop comes after it in the code, but so does what a `break` or `return` in it
does first, and from 3.12 on all that only exceptions lead to. *What tells the two apart*: how many edges lead there,
whether the loop has a usual exit, where a suite just ends, and lines.
"""

from __future__ import annotations

from collections.abc import Iterator

from unjit.bytecode import versions as v
from unjit.decompiler.ir.as_written.jump_statements import is_break, leaves_a_loop_first
from unjit.decompiler.ir.flow.copies import LONGEST_COPY
from unjit.decompiler.ir.flow.dominators import Dominators
from unjit.decompiler.ir.flow.exits import is_copied, is_empty_end
from unjit.decompiler.ir.flow.graph import Block, Construct, Edge, EnterTry, Graph, Leave, NextItem, Path
from unjit.decompiler.ir.flow.loops import Loop, LoopRanges
from unjit.decompiler.structuring.loop_layout import (
    exits_of,
    nothing_after,
    usual_exit,
    without_exceptions,
    written_before_exhausted,
    written_within,
)
from unjit.decompiler.structuring.placement import Placement


class LoopExits:
    """The loops that control leaves on its way to a block.

    `loops_of` are the loops around each block, innermost first; `pads` the blocks that enter protected regions.
    """

    def __init__(
        self, graph: Graph, placement: Placement, loops_of: dict[Block, list[Loop]], pads: dict[Path, Block]
    ) -> None:
        self.graph = graph
        self.placement = placement
        self.dominators = placement.dominators
        self.loops_of = loops_of
        self.pads = pads
        self.ranges = LoopRanges(placement.loops.values())
        self.falling_off = _falling_off(placement.dominators)
        self.usual: set[Block] = set()  # what can be reached without an exception, once that was asked
        self.last_exits: dict[Block, Block | None] = {}  # by the header of the loop, once that was asked

    def entries_changed(self) -> None:
        """Forget what was told by the edges that enter blocks."""
        self.last_exits.clear()

    def innermost(self, owner: Block, block: Block, *, after_loop: bool, multiple: bool) -> Loop | None:
        """The innermost loop around `owner` after which `block` belongs."""
        ended: Edge | None = None
        for loop in self._loops_around(owner, block):
            if ended is not None and usual_exit(loop) is None:
                return None  # nothing tells what follows an endless one
            if loop in self.loops_of.get(block, []) or (after_loop and loop.header is owner):
                continue
            if loop.header.region[: len(block.region)] != block.region:
                return None  # it belongs to a try or handler inside the loop
            within = written_within(loop, block) or self._is_late_part(loop, block)
            several = multiple and not (
                within or self._is_in_only_suite(loop, block) or self._is_passed_by(loop, block)
            )
            if several or self._falls_after(loop, block) or self._laid_out_after(loop, block):
                return loop
            ended = usual_exit(loop)
            if ended is None or ended.target is not block:
                return None  # else this loop ends there, which may be after one around it as well
        return None

    def _loops_around(self, owner: Block, block: Block) -> Iterator[Loop]:
        """The loops that may have to be left from `owner` to `block`, innermost first.

        With those that nothing comes back to from `owner`, which stands in their midst, as `block` does not. Where
        `owner` is in a loop itself, only lines tell which: what is laid out within a loop may have been after it.
        """
        around = self.loops_of.get(owner, [])
        is_inner = False
        for loop in self.ranges.around(owner.stands_at):
            is_inner = is_inner or loop in around
            if loop in around or self._is_left(loop, owner, block, by_lines=is_inner):
                yield loop
        yield from around  # those that do not stand around it in the code; the others were declined

    def _is_left(self, loop: Loop, owner: Block, block: Block, *, by_lines: bool) -> bool:
        if not self.dominators.dominates(loop.header, owner):
            return False
        if self._falls_after(loop, block) and written_before_exhausted(loop, owner):
            return True
        if self._drops_its_iterator(loop, block):
            return True
        if block.stands_at < loop.end or not by_lines:
            return block.stands_at >= loop.end
        usual = usual_exit(loop)
        is_told = usual is not None and len(self.placement.forward_entries[usual.target]) == 1
        is_told = is_told and not any(block in inner.blocks for inner in self.loops_of.get(owner, []))
        before = written_before_exhausted(loop, owner), written_before_exhausted(loop, block)
        return is_told and before == (True, False)

    def _falls_after(self, loop: Loop, block: Block) -> bool:
        """Whether a suite ends after the block, which stands after where the loop goes when exhausted."""
        depth = self.falling_off.get(block)
        if depth is None or loop.header.region[:depth] != block.region[:depth]:
            return False  # or the loop is around that suite
        return not written_before_exhausted(loop, block)

    def _drops_its_iterator(self, loop: Loop, block: Block) -> bool:
        """Whether a block leaves a `for` loop before it does anything else.

        What lies on the stack beside the iterator is dropped first where a comparison in a chain fails (3.10, 3.12).
        """
        if not isinstance(loop.header.terminator, NextItem) or not leaves_a_loop_first(block):
            return False
        stacks = self.graph.stacks
        at_head, here = stacks.get(loop.header.offset), stacks.get(block.instrs[0].offset)
        return not at_head or here is None or len(here) <= len(at_head)

    def _is_passed_by(self, loop: Loop, block: Block) -> bool:
        """Whether some way out of an endless loop comes to where the block leads, and not through the block.

        After such a loop is one place, where all that leave it meet: what some pass by stands before a `break`.
        """
        if usual_exit(loop) is not None:
            return False
        dominates, predecessors = self.dominators.dominates, self.dominators.predecessors
        seen, work = {block}, [block]
        while work:
            for target in set(work.pop().successors()) - seen - {loop.header}:
                if dominates(block, target):
                    seen.add(target)
                    work.append(target)
                elif not is_copied(target, self.placement.forward_entries[target]) and any(
                    dominates(loop.header, before) and not dominates(block, before) for before in predecessors[target]
                ):
                    return True
        return False

    def _is_in_only_suite(self, loop: Loop, block: Block) -> bool:
        """Whether only the item of a loop that takes one at most leads to it, while breaks lead to what follows."""
        head = loop.header.terminator
        if not loop.once or not isinstance(head, NextItem) or not self.dominators.dominates(head.body.target, block):
            return False
        return len(self.placement.forward_entries[head.exhausted.target]) > 1

    def _laid_out_after(self, loop: Loop, block: Block) -> bool:
        """Only one edge enters `block`: the compiler's layout tells whether it was written in the loop or after it."""
        if self._drops_its_iterator(loop, block):
            return True
        usual = usual_exit(loop)
        if usual is not None:
            goes_back = usual.laid_to < loop.last_offset  # to a loop around: nothing says where this one ends
            if self._is_late_part(loop, block):
                return False
            return block is not usual.target and block.stands_at > usual.laid_to and not goes_back
        if loop.header not in self.last_exits:
            self.last_exits[loop.header] = self._last_exit(loop)
        if self._is_broken_to(loop, block) or self._leaves_by_break(loop, block):
            return True
        if block is not self.last_exits[loop.header]:
            return False
        is_after = block.stands_at > loop.last_offset and (block.last_line or 0) not in loop.lines
        if is_after or self._breaks_first(block, loop):
            return True
        # What follows a swallowed exception stands at the end: then lines tell.
        return self._ends_at_the_end(loop) and (block.first_line or 0) > loop.last_line

    def _is_broken_to(self, loop: Loop, block: Block) -> bool:
        """Whether only a `break` after other statements leads there, out of an endless loop."""
        entries = self.placement.forward_entries[block]
        if len(entries) != 1 or not loop.header.offset < entries[0].stands_at < loop.last_offset < block.stands_at:
            return False
        return not self._stands_at_the_end(block) and is_break(entries[0], self.graph)

    def _last_exit(self, loop: Loop) -> Block | None:
        """The last of the places that control comes to when it leaves the loop, if the others need no break."""
        exits = exits_of(loop)
        if any(self._leaves_by_break(loop, block) for block in exits):
            return None  # that one is after the loop, and no other
        if any(len(self.placement.forward_entries[b]) > 1 for b in exits):
            return None
        jumped_to = {b for b in exits if is_empty_end(b) or b.offset < loop.last_offset < b.stands_at}
        breaking = jumped_to or {block for block in exits if self._breaks_first(block, loop)}
        last = self._last_of(breaking or exits)
        if any(not isinstance(b.terminator, Leave) for b in exits if b is not last):
            return None  # these go on elsewhere, which no break says once something stands after the loop
        return last

    def _last_of(self, blocks: set[Block]) -> Block:
        """The one that was written last: by place, but for what stands after everything places tell nothing."""
        late = {block for block in blocks if self._stands_at_the_end(block)}
        if late and late != blocks:
            return max(blocks, key=lambda block: (block.stands_on or 0, block.stands_at))
        return max(blocks, key=lambda block: block.stands_at)

    def _breaks_first(self, block: Block, loop: Loop) -> bool:
        """Whether a short exit from after the loop was copied to where a `break` stood, of which a line is left.

        Before what cleans up such a line is that of a return.
        """
        instrs = [instr for instr in block.instrs if instr.line is not None]
        if not isinstance(block.terminator, Leave) or not 1 < len(instrs) <= 1 + LONGEST_COPY:
            return False
        if instrs[0].op != "NOP" or instrs[0].line == instrs[1].line or (block.last_line or 0) <= loop.last_line:
            return False
        pads = [self.pads[block.region[: k + 1]].terminator for k in range(len(block.region))]
        return all(isinstance(pad, EnterTry) and pad.construct is Construct.TRY for pad in pads)

    def _leaves_by_break(self, loop: Loop, block: Block) -> bool:
        """Whether the way there leaves a `with` or `finally` after which the loop goes on elsewhere."""
        entries = self.placement.forward_entries[block]
        if len(entries) != 1 or is_copied(block, entries):
            return False
        left = entries[0].region
        ends = (left[:k] for k in range(len(block.region) + 1, len(left) + 1))
        return any(self._goes_on_after(path, loop, block) for path in ends)

    def _goes_on_after(self, path: Path, loop: Loop, block: Block) -> bool:
        """Whether what stands after the `with` or `finally` of these regions is in the loop, and not `block`."""
        pad = self.pads[path].terminator
        if not isinstance(pad, EnterTry) or pad.construct is Construct.TRY:
            return False
        if pad.construct is Construct.WITH:
            return pad.caught.target is not block and pad.caught.target in loop.blocks
        return any(
            target in loop.blocks and target is not loop.header and len(target.region) < len(path)
            for within in loop.blocks
            if within.region[: len(path)] == path
            for target in within.successors()
        )

    def _ends_at_the_end(self, loop: Loop) -> bool:
        """Whether what stands last of the loop is what only exceptions lead to."""
        last = loop.last_offset
        return all(self._stands_at_the_end(block) for block in loop.blocks if loop.end_of(block) == last)

    def _is_late_part(self, loop: Loop, block: Block) -> bool:
        """Whether a block that only exceptions lead to, from a loop that they do not, is part of that by its line."""
        usual = usual_exit(loop)
        if usual is None or not self._stands_at_the_end(block) or self._stands_at_the_end(loop.header):
            return False
        leaves = isinstance(block.terminator, Leave) and nothing_after(loop, usual)
        return leaves or written_before_exhausted(loop, block)

    def _stands_at_the_end(self, block: Block) -> bool:
        """Whether only exceptions lead to a block: from 3.12 on such code stands after everything."""
        if not self.usual:
            self.usual |= without_exceptions(self.graph.entry)
        return v.PY312 and block not in self.usual


def _falling_off(dominators: Dominators) -> dict[Block, int]:
    """The blocks on the only way to where a suite just ends, which no statement in a loop says.

    With how deep that suite lies in others, the outermost where there are several.
    """
    found: dict[Block, int] = {}
    for end in filter(is_empty_end, dominators.order):
        depth, above = len(end.region), dominators.idom(end)
        found[end] = min(depth, found.get(end, depth))
        while above is not None and above.region[:depth] == end.region:
            found[above] = min(depth, found.get(above, depth))
            above = dominators.idom(above)
    return found
