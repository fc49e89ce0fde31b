"""Where each block goes in the source: at the one edge that enters it, or behind a statement.

After Ramsey, "Beyond Relooper" (ICFP 2022): a block that several edges enter stands behind the statement of its
immediate dominator, so that every edge to it is a fall-through, if all goes well. Python adds two rules: a block may
not stand inside a loop that it leaves for good, nor inside a `try` whose handler does not protect it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from unjit.bytecode import versions as v
from unjit.decompiler.ir.copies import LONGEST_COPY
from unjit.decompiler.ir.dominators import Dominators
from unjit.decompiler.ir.exits import is_bare_exit, is_empty_end, may_raise
from unjit.decompiler.ir.graph import Block, Construct, Edge, EnterTry, Graph, Jump, Leave, NextItem, Region
from unjit.decompiler.ir.jump_statements import leaves_a_loop_first
from unjit.decompiler.ir.jumps import only_jump, onward
from unjit.decompiler.ir.loops import Loop, LoopRanges, find_loops
from unjit.decompiler.structuring.loop_layout import (
    exits_of,
    nothing_behind,
    usual_exit,
    without_exceptions,
    written_before_exhausted,
    written_within,
)
from unjit.decompiler.structuring.skipped_parts import SkippedParts


@dataclass
class Placement:
    """The blocks that stand behind each block's own statement, and behind each loop, in order."""

    dominators: Dominators
    loops: dict[Block, Loop]
    after_block: dict[Block, list[Block]] = field(default_factory=dict)
    after_loop: dict[Block, list[Block]] = field(default_factory=dict)
    forward_entries: dict[Block, list[Block]] = field(default_factory=dict)
    placed: set[Block] = field(default_factory=set)


def place_blocks(graph: Graph) -> Placement:
    """Raises CannotExpress when the graph has a cycle with several entries."""
    dominators = Dominators(graph)
    placement = Placement(dominators, find_loops(dominators))
    placer = _Placer(graph, placement)
    for block in dominators.order[1:]:
        placer.place(block)
    for owner, behind in list(placement.after_block.items()):
        placement.after_block[owner] = _without_jump_statements(behind, placement)
        if not placement.after_block[owner]:
            del placement.after_block[owner]
    return placement


def _without_jump_statements(behind: list[Block], placement: Placement) -> list[Block]:
    """Without the blocks that are written as a jump statement wherever control comes to them.

    These are short exits in front of other blocks, and a `continue` among others; a `continue` alone stands behind a
    statement only where several parts of that come to it.
    """
    last = behind[-1]
    kept = [block for block in behind if block is last or not _is_copied(block, placement)]
    jumps = {block: only_jump(block) for block in kept}
    more = [block for block, jump in jumps.items() if jump is None or onward(jump.target) not in placement.loops]
    return more or [block for block in kept if len(placement.forward_entries[block]) > 1]


def _is_copied(block: Block, placement: Placement) -> bool:
    """Whether a bare exit stands wherever something leads to it: what may raise, in the same regions alone."""
    if not is_bare_exit(block):
        return False
    return not may_raise(block) or all(entry.region == block.region for entry in placement.forward_entries[block])


def _own_parts(enter: EnterTry) -> tuple[Block, ...]:
    """The blocks that are suites of the statement; where a with goes on after swallowing is not one."""
    if enter.construct is Construct.WITH:
        return (enter.body.target,)
    return (enter.body.target, enter.caught.target)


def _continues_with(block: Block, ended: Block) -> bool:
    """Whether a block begins the suite of a with, of which the block before it has the rest.

    On 3.10 no line tells an `else` of a `try` that ends so from what stands behind, which more people write.
    """
    is_with = isinstance(block.terminator, EnterTry) and block.terminator.construct is Construct.WITH
    return is_with and (v.PY311 or not isinstance(ended.terminator, EnterTry))


class _Placer:
    def __init__(self, graph: Graph, placement: Placement) -> None:
        self.graph = graph
        self.placement = placement
        self.dominators = placement.dominators
        self.loops_of: dict[Block, list[Loop]] = {}
        for loop in placement.loops.values():
            for block in loop.blocks:
                self.loops_of.setdefault(block, []).append(loop)
        for loops in self.loops_of.values():
            loops.sort(key=lambda loop: len(loop.blocks))
        for leaving, header in graph.breaks.items():
            self._stand_within(leaving, self.loops_of[header])
        self.ranges = LoopRanges(placement.loops.values())
        self.pads = {
            (*block.region, Region(kind, block.terminator.handler)): block
            for block in self.dominators.order
            if isinstance(block.terminator, EnterTry)
            for kind in ("try", "except")
        }
        self.falling_off = self._falling_off()
        self.usual: set[Block] = set()  # what can be reached without an exception, once that was asked
        self.last_exits: dict[Block, Block | None] = {}  # by the header of the loop, once that was asked
        self.skipped = SkippedParts(self.dominators, self.loops_of)
        placement.forward_entries = {block: self._forward_entries(block) for block in self.dominators.order}

    def _stand_within(self, leaving: Block, loops: list[Loop]) -> None:
        """A `break` stands in the loop that it leaves, and so does all that leads to it from there."""
        work = [leaving]
        while work:
            block = work.pop()
            own = self.loops_of.get(block, [])
            if loops[0] not in own:
                self.loops_of[block] = [*(loop for loop in own if loop not in loops), *loops]
                work += self.dominators.predecessors[block]

    def _falling_off(self) -> dict[Block, int]:
        """The blocks on the only way to where a suite just ends, which no statement in a loop says.

        With how deep that suite lies in others, the outermost where there are several.
        """
        found: dict[Block, int] = {}
        for end in filter(is_empty_end, self.dominators.order):
            depth, above = len(end.region), self.dominators.idom(end)
            found[end] = min(depth, found.get(end, depth))
            while above is not None and above.region[:depth] == end.region:
                found[above] = min(depth, found.get(above, depth))
                above = self.dominators.idom(above)
        return found

    def _forward_entries(self, block: Block) -> list[Block]:
        number = self.dominators.number
        return [p for p in self.dominators.predecessors[block] if number[p] < number[block]]

    def place(self, block: Block) -> None:
        parent = self.dominators.idom(block)
        assert parent is not None
        if isinstance(parent.terminator, EnterTry) and block in _own_parts(parent.terminator):
            return
        entries = self.placement.forward_entries[block]
        owner, behind_loop, moved = parent, False, len(entries) > 1 or self.graph.breaks.keys() >= set(entries)
        multiple = moved
        left: set[Block] = set()  # each once: by the layout of code entered in its midst, two may stand in one another
        while True:
            pad = self._pad_left(owner, block)
            loop = self._loop_left(owner, block, behind_loop=behind_loop, multiple=multiple)
            is_around = loop is not None and loop.header not in left
            if loop is not None and is_around and (pad is None or self._encloses(pad, loop.header)):
                left.add(loop.header)
                if behind_loop and not multiple:
                    entries = [self._break_again(owner, block, entries)]
                owner, behind_loop, moved = loop.header, True, True
                multiple = any(loop not in self.loops_of.get(entry, []) for entry in entries)
            elif pad is not None:
                owner, behind_loop, moved = pad, False, True
            else:
                break
        ended = self.skipped.ended_by(block, owner, entries)
        if ended is not None and not (ended is owner and moved) and not _continues_with(block, ended):
            owner, behind_loop, moved = ended, False, True
        if moved:
            table = self.placement.after_loop if behind_loop else self.placement.after_block
            table.setdefault(owner, []).append(block)
            self.placement.placed.add(block)

    def _break_again(self, header: Block, block: Block, entries: list[Block]) -> Block:
        """A block behind the loop of `header` that only goes on to `block`, for all that leaves the loop for there.

        A break leaves one loop: behind it, this block is what breaks out of the next.
        """
        between = self.graph.new_block(block.offset, header.region)
        between.terminator = Jump(Edge(block))
        for entry in entries:
            for edge in entry.terminator.edges():
                if edge.target is block:
                    edge.target = between
        between.params, between.terminator.edge.args = block.params, list(block.params)
        self.placement.after_loop.setdefault(header, []).append(between)
        self.placement.forward_entries[between] = entries
        self.placement.forward_entries[block] = [between]
        self.last_exits.clear()  # they were told by such entries
        self.placement.placed.add(between)
        return between

    def _encloses(self, pad: Block, header: Block) -> bool:
        """Whether the loop of `header` is inside the try (or handler) that `pad` enters."""
        return len(header.region) > len(pad.region) and self.dominators.dominates(pad, header) and pad is not header

    def _pad_left(self, owner: Block, block: Block) -> Block | None:
        """The pad of the innermost region that holds at `owner` and not at `block`."""
        common = 0
        for a, b in zip(owner.region, block.region, strict=False):
            if a != b:
                break
            common += 1
        if common == len(owner.region):
            return None
        return self.pads[owner.region]

    def _loop_left(self, owner: Block, block: Block, *, behind_loop: bool, multiple: bool) -> Loop | None:
        """The innermost loop around `owner` behind which `block` belongs."""
        ended: Edge | None = None
        for loop in self._loops_around(owner, block):
            if ended is not None and usual_exit(loop) is None:
                return None  # nothing tells what is behind an endless one
            if loop in self.loops_of.get(block, []) or (behind_loop and loop.header is owner):
                continue
            if loop.header.region[: len(block.region)] != block.region:
                return None  # it belongs to a try or handler inside the loop
            within = written_within(loop, block) or self._is_late_part(loop, block)
            several = multiple and not (
                within or self._is_in_only_suite(loop, block) or self._is_passed_by(loop, block)
            )
            if several or self._falls_behind(loop, block) or self._laid_out_behind(loop, block):
                return loop
            ended = usual_exit(loop)
            if ended is None or ended.target is not block:
                return None  # else this loop ends there, perhaps behind one around it
        return None

    def _loops_around(self, owner: Block, block: Block) -> Iterator[Loop]:
        """The loops that may have to be left from `owner` to `block`, innermost first.

        With those that nothing comes back to from `owner`, which stands in their midst, as `block` does not. Where
        `owner` is in a loop itself, only lines tell which: what is laid out within a loop may have been behind it.
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
        if self._falls_behind(loop, block) and written_before_exhausted(loop, owner):
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

    def _falls_behind(self, loop: Loop, block: Block) -> bool:
        """Whether a suite ends behind the block, which stands behind where the loop goes when exhausted."""
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

        Behind such a loop is one place, where all that leave it meet: what some pass by stands in front of a `break`.
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
                elif not _is_copied(target, self.placement) and any(
                    dominates(loop.header, before) and not dominates(block, before) for before in predecessors[target]
                ):
                    return True
        return False

    def _is_in_only_suite(self, loop: Loop, block: Block) -> bool:
        """Whether only the item of a loop that takes one at most leads to it, while breaks lead to what is behind."""
        head = loop.header.terminator
        if not loop.once or not isinstance(head, NextItem) or not self.dominators.dominates(head.body.target, block):
            return False
        return len(self.placement.forward_entries[head.exhausted.target]) > 1

    def _laid_out_behind(self, loop: Loop, block: Block) -> bool:
        """Only one edge enters `block`: the compiler's layout tells whether it was written in the loop or behind."""
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
        if block is not self.last_exits[loop.header]:
            return False
        is_behind = block.stands_at > loop.last_offset and (block.last_line or 0) not in loop.lines
        if is_behind or self._breaks_first(block, loop):
            return True
        # What follows a swallowed exception stands at the end: then lines tell.
        return self._ends_at_the_end(loop) and (block.first_line or 0) > loop.last_line

    def _last_exit(self, loop: Loop) -> Block | None:
        """The last of the places that control comes to when it leaves the loop, if the others need no break."""
        exits = exits_of(loop)
        if any(len(self.placement.forward_entries[b]) > 1 for b in exits):
            return None
        jumped_to = {b for b in exits if is_empty_end(b) or b.offset < loop.last_offset < b.stands_at}
        breaking = jumped_to or {block for block in exits if self._breaks_first(block, loop)}
        last = max(breaking or exits, key=lambda b: b.stands_at)
        if any(not isinstance(b.terminator, Leave) for b in exits if b is not last):
            return None  # these go on elsewhere, which no break says once something stands behind the loop
        return last

    def _breaks_first(self, block: Block, loop: Loop) -> bool:
        """Whether a short exit from behind the loop was copied to where a `break` stood, of which a line is left.

        In front of what cleans up such a line is that of a return.
        """
        instrs = [instr for instr in block.instrs if instr.line is not None]
        if not isinstance(block.terminator, Leave) or not 1 < len(instrs) <= 1 + LONGEST_COPY:
            return False
        if instrs[0].op != "NOP" or instrs[0].line == instrs[1].line or (block.last_line or 0) <= loop.last_line:
            return False
        pads = [self.pads[block.region[: k + 1]].terminator for k in range(len(block.region))]
        return all(isinstance(pad, EnterTry) and pad.construct is Construct.TRY for pad in pads)

    def _ends_at_the_end(self, loop: Loop) -> bool:
        """Whether what stands last of the loop is what only exceptions lead to."""
        last = loop.last_offset
        return all(self._stands_at_the_end(block) for block in loop.blocks if loop.end_of(block) == last)

    def _is_late_part(self, loop: Loop, block: Block) -> bool:
        """Whether a block that only exceptions lead to, from a loop that they do not, is part of that by its line."""
        usual = usual_exit(loop)
        if usual is None or not self._stands_at_the_end(block) or self._stands_at_the_end(loop.header):
            return False
        leaves = isinstance(block.terminator, Leave) and nothing_behind(loop, usual)
        return leaves or written_before_exhausted(loop, block)

    def _stands_at_the_end(self, block: Block) -> bool:
        """Whether only exceptions lead to a block: from 3.12 on such code stands behind everything."""
        if not self.usual:
            self.usual |= without_exceptions(self.graph.entry)
        return v.PY312 and block not in self.usual
