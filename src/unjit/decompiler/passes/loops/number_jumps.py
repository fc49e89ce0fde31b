"""A loop around what jumps into the midst of one another, with a number for where each turn of it begins.

*What the compiler did*: nothing of the kind; see `number_ways`. *The shape*: a block to which control comes from places
that no statement of Python leads from, as `structure` found. *What we produce*: one way into that block and into the
last one that all control to it has passed, or, where a loop is in the way, into its head: so that a jump is `continue`.
*What we refuse*: what handlers begin at.
"""

from __future__ import annotations

from collections.abc import Sequence

from unjit.decompiler.errors import CannotExpress, NoStatement
from unjit.decompiler.ir.flow.dominators import Dominators
from unjit.decompiler.ir.flow.graph import Block, Graph
from unjit.decompiler.ir.tree.uses import count_uses
from unjit.decompiler.passes.loops.number_loops import one_way_into


def number_jumps(graph: Graph, jumps: Sequence[NoStatement]) -> None:
    """Give numbers to the blocks that these are about, one after the other."""
    for jump in jumps:
        target = _block(graph, jump.block)
        around = None if jump.loop is None else _block(graph, jump.loop)
        is_joined = around is not None and around.region == target.region and around.index != target.index
        one_way_into(graph, {around if is_joined and around is not None else _before(graph, target), target})
    if jumps:
        count_uses(graph)


def _block(graph: Graph, index: int) -> Block:
    found = next((block for block in graph.reachable() if block.index == index), None)
    if found is None:
        raise CannotExpress("what is jumped to is not there any more")
    return found


def _before(graph: Graph, target: Block) -> Block:
    """The last block in the same regions that control to `target` has passed."""
    dominators = Dominators(graph)
    before = dominators.idom(target)
    while before is not None and before.region != target.region:
        before = dominators.idom(before)
    if before is None:
        raise CannotExpress(f"the jumps to offset {target.offset} begin within different handlers")
    return before
