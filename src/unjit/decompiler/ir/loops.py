"""Natural loops, nested."""

from __future__ import annotations

from dataclasses import dataclass, field

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.dominators import Dominators
from unjit.decompiler.ir.graph import Block, NextItem


@dataclass(eq=False)
class Loop:
    """All blocks that can come back to `header` without leaving what it dominates."""

    header: Block
    blocks: set[Block] = field(default_factory=set)
    once: bool = False  # a for loop of which nothing comes back: it takes one item at most

    @property
    def last_offset(self) -> int:
        return max(block.offset for block in self.blocks)


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
            work += dominators.into[block]
