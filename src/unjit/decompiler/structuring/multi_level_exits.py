"""Blocks after loops from which the loops around are left, for what leaves several of them at once.

*What the compiler did*: a `break` or `continue` after an inner loop became part of the jump that leaves the inner one.
*The shape*: an edge from within two loops or more to a block that stands after them all, which other edges enter as
well, or to the head of one of them. *What we produce*: a block after each loop but the last, which only goes on: a
`break` out of the next, or a `continue` of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from unjit.decompiler.ir.flow.graph import Block, Edge, Graph, Jump
from unjit.decompiler.ir.flow.loops import Loop
from unjit.decompiler.structuring.placement import Placement


def leave_one_by_one(graph: Graph, placement: Placement) -> None:
    leaver = _Leaver(graph, placement)
    order = placement.dominators.order
    for block in order:
        leaver.note(block)
    for block in order:
        for edge in block.terminator.edges():
            leaver.leave(block, edge)


class _Leaver:
    def __init__(self, graph: Graph, placement: Placement) -> None:
        self.graph = graph
        self.placement = placement
        self.stands: dict[Block, tuple[Block, bool]] = {}  # after which block, and whether after its loop
        for after_loop, table in enumerate((placement.after_block, placement.after_loop)):
            self.stands |= {block: (owner, bool(after_loop)) for owner in table for block in table[owner]}
        self.around: dict[Block, list[Loop]] = {}  # the loops that each block stands in, innermost first
        self.between: dict[tuple[Block, Block], Block] = {}  # by the loop that it stands after, and where it goes

    def note(self, block: Block) -> None:
        own = self.placement.loops.get(block)
        self.around[block] = [*([own] if own is not None else []), *self._place(block)]

    def _place(self, block: Block) -> list[Loop]:
        """The loops around the place of the block, which for a loop's header is around the loop."""
        owner, after_loop = self.stands.get(block, (self.placement.dominators.idom(block), False))
        around = [] if owner is None else self.around[owner]
        return [loop for loop in around if not (after_loop and loop.header is owner)]

    def leave(self, block: Block, edge: Edge) -> None:
        left = list(self._left(block, edge))
        if edge.target not in self.placement.loops:
            left = left[:-1]  # the last `break` leads there by itself
        entries = self.placement.forward_entries
        for loop in reversed(left):
            between = self._after(loop.header, edge.target)
            entries[edge.target] = [entry for entry in entries[edge.target] if entry is not block]
            entries[between].append(block)
            edge.target = between

    def _left(self, block: Block, edge: Edge) -> Iterator[Loop]:
        """The loops that a `break` has to leave for the target, or, for a loop's head, before a `continue` of it."""
        if edge.target not in self.around:
            return
        again = self.placement.loops.get(edge.target)
        if again is not None and again not in self.around[block]:
            return
        there = self._place(edge.target) if again is None else [again, *self._place(edge.target)]
        for loop in self.around[block]:
            if loop not in there and not (loop.header is block and edge.target not in loop.blocks):
                yield loop

    def _after(self, header: Block, target: Block) -> Block:
        known = self.between.get((header, target))
        if known is None:
            known = self.graph.new_block(target.offset, header.region)
            known.terminator = Jump(Edge(target, list(target.params)))
            known.params = target.params
            self.placement.after_loop.setdefault(header, []).append(known)
            self.placement.forward_entries[known] = []
            self.placement.forward_entries[target].append(known)
            self.placement.placed.add(known)
            self.between[header, target] = known
        return known
