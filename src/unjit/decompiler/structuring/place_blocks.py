"""Where each block goes in the source: at the one edge that enters it, or after a statement.

After Ramsey, "Beyond Relooper" (ICFP 2022): a block that several edges enter stands after the statement of its
immediate dominator, so that every edge to it is a fall-through, if all goes well. Python adds two rules: a block may
not stand inside a loop that it leaves for good, nor inside a `try` whose handler does not protect it.
"""

from __future__ import annotations

from dataclasses import dataclass

from unjit.bytecode import versions as v
from unjit.decompiler.ir.flow.dominators import Dominators
from unjit.decompiler.ir.flow.exits import is_copied, is_empty_end
from unjit.decompiler.ir.flow.graph import Block, Construct, Edge, EnterTry, Graph, Jump, Region
from unjit.decompiler.ir.flow.jumps import only_jump, onward
from unjit.decompiler.ir.flow.loops import Loop, find_loops
from unjit.decompiler.structuring.loop_exits import LoopExits
from unjit.decompiler.structuring.placement import Placement
from unjit.decompiler.structuring.skipped_parts import SkippedParts


def place_blocks(graph: Graph) -> Placement:
    """Raises CannotExpress when the graph has a cycle with several entries."""
    dominators = Dominators(graph)
    placement = Placement(dominators, find_loops(dominators))
    placer = _Placer(graph, placement)
    for block in dominators.order[1:]:
        placer.place(block)
    suite_ends = [block for block in dominators.order if block.region and is_empty_end(block)]
    for owner, after in list(placement.after_block.items()):
        reached = _without_what_ends_cut_off(after, placement, suite_ends)
        placement.after_block[owner] = _without_jump_statements(reached, placement)
        if not placement.after_block[owner]:
            del placement.after_block[owner]
    return placement


def _without_what_ends_cut_off(after: list[Block], placement: Placement, suite_ends: list[Block]) -> list[Block]:
    """Without the jump statement that comes last, where what stands before it comes to the end of a finally suite.

    That would fall through to it; it is written where control comes to it.
    """
    if not suite_ends or len(after) == 1 or only_jump(after[-1]) is None:
        return after
    dominates = placement.dominators.dominates
    is_cut_off = any(dominates(block, end) for block in after[:-1] for end in suite_ends)
    return after[:-1] if is_cut_off else after


def _without_jump_statements(after: list[Block], placement: Placement) -> list[Block]:
    """Without the blocks that are written as a jump statement wherever control comes to them.

    These are short exits before other blocks, and a `continue` among others. A `continue` stands after a
    statement only where several parts of that come to it, alone or known to stand there.
    """
    last = after[-1]
    kept = [block for block in after if block is last or not is_copied(block, placement.forward_entries[block])]
    jumps = {block: only_jump(block) for block in kept}
    more = [block for block, jump in jumps.items() if jump is None or onward(jump.target) not in placement.loops]
    several = [block for block in kept if len(placement.forward_entries[block]) > 1]
    if more and last in several and last not in more and _is_written(jumps[last]):
        more.append(last)
    return more or several


def _is_written(jump: Edge | None) -> bool:
    """Whether it is a `continue` that is known to stand after what leads to it."""
    return jump is not None and jump.line is not None


def _own_parts(enter: EnterTry) -> tuple[Block, ...]:
    """The blocks that are suites of the statement; where a with goes on after swallowing is not one."""
    if enter.construct is Construct.WITH:
        return (enter.body.target,)
    return (enter.body.target, enter.caught.target)


def _continues_with(block: Block, ended: Block) -> bool:
    """Whether a block begins the suite of a with, of which the block before it has the rest.

    On 3.10 no line tells an `else` of a `try` that ends so from what stands after the `try`, which more people write.
    """
    is_with = isinstance(block.terminator, EnterTry) and block.terminator.construct is Construct.WITH
    return is_with and (v.PY311 or not isinstance(ended.terminator, EnterTry))


@dataclass
class _Spot:
    """Where a block stands: in the statement of `owner`, at the edge that enters it, or after that, or its loop."""

    owner: Block
    is_after: bool
    of_loop: bool = False

    def move(self, owner: Block, *, of_loop: bool = False) -> None:
        """After another statement."""
        self.owner, self.is_after, self.of_loop = owner, True, of_loop


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
        self.pads = {
            (*block.region, Region(kind, block.terminator.handler)): block
            for block in self.dominators.order
            if isinstance(block.terminator, EnterTry)
            for kind in ("try", "except")
        }
        placement.forward_entries = {block: self._forward_entries(block) for block in self.dominators.order}
        self.left = LoopExits(graph, placement, self.loops_of, self.pads)
        self.skipped = SkippedParts(self.dominators, self.loops_of)

    def _stand_within(self, leaving: Block, loops: list[Loop]) -> None:
        """A `break` stands in the loop that it leaves, and so does all that leads to it from there."""
        work = [leaving]
        while work:
            block = work.pop()
            own = self.loops_of.get(block, [])
            if loops[0] not in own:
                self.loops_of[block] = [*(loop for loop in own if loop not in loops), *loops]
                work += self.dominators.predecessors[block]

    def _forward_entries(self, block: Block) -> list[Block]:
        number = self.dominators.number
        return [p for p in self.dominators.predecessors[block] if number[p] < number[block]]

    def place(self, block: Block) -> None:
        parent = self.dominators.idom(block)
        assert parent is not None
        if isinstance(parent.terminator, EnterTry) and block in _own_parts(parent.terminator):
            return
        entries = self.placement.forward_entries[block]
        several = len(entries) > 1 or self.graph.breaks.keys() >= set(entries)
        spot = _Spot(parent, is_after=several)
        entries = self._leave_statements(spot, block, entries)
        ended = self.skipped.ended_by(block, spot.owner, entries)
        if ended is not None and not (ended is spot.owner and spot.is_after) and not _continues_with(block, ended):
            spot.move(ended)
        if spot.is_after:
            table = self.placement.after_loop if spot.of_loop else self.placement.after_block
            table.setdefault(spot.owner, []).append(block)
            self.placement.placed.add(block)

    def _leave_statements(self, spot: _Spot, block: Block, entries: list[Block]) -> list[Block]:
        """Move the spot of `block` out of all that it is after, innermost first; the entries that it has then."""
        several = spot.is_after
        left: set[Block] = set()  # each once: by the layout of code entered in its midst, two may stand in one another
        while True:
            pad = self._pad_left(spot.owner, block)
            loop = self.left.innermost(spot.owner, block, after_loop=spot.of_loop, multiple=several)
            is_around = loop is not None and loop.header not in left
            if loop is not None and is_around and (pad is None or self._encloses(pad, loop.header)):
                left.add(loop.header)
                if spot.of_loop and not several:
                    entries = [self._break_again(spot.owner, block, entries)]
                spot.move(loop.header, of_loop=True)
                several = any(loop not in self.loops_of.get(entry, []) for entry in entries)
            elif pad is not None:
                spot.move(pad)
            else:
                return entries

    def _break_again(self, header: Block, block: Block, entries: list[Block]) -> Block:
        """A block after the loop of `header` that only goes on to `block`, for all that leaves the loop for there.

        A break leaves one loop: after it, this block is what breaks out of the next.
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
        self.left.entries_changed()
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
