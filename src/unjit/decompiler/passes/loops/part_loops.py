"""A block of its own for a `for` loop that takes one item at most, where a loop around it begins.

*What the compiler did*: nothing comes back to such a loop (`for x in y: return x`), so it has no head: its iterator
is made and stepped in one block with what is before it. *The shape*: such a block to which control comes back, when
the iterator is exhausted for one. *What we produce*: the loop in a block after the head of the loop around it.
"""

from __future__ import annotations

from unjit.decompiler.ir.flow.dominators import Dominators
from unjit.decompiler.ir.flow.graph import Block, Edge, Graph, Jump, NextItem


def run(graph: Graph) -> None:
    steps = [block for block in graph.reachable() if isinstance(block.terminator, NextItem) and block.statements]
    dominators = Dominators(graph) if steps else None
    for block in steps:
        if dominators is not None and any(
            dominators.dominates(block, before) for before in dominators.predecessors[block]
        ):
            _part(graph, block)
            graph.forget_order()


def _part(graph: Graph, block: Block) -> None:
    stepped = block.instrs[-1:]
    part = graph.new_block(stepped[0].offset if stepped else block.offset, block.region)
    part.handler, part.leaves_handler, part.instrs = block.handler, block.leaves_handler, stepped
    part.statements, part.terminator = block.statements[-1:], block.terminator
    del block.statements[-1], block.instrs[-1:]
    block.leaves_handler, block.terminator = False, Jump(Edge(part))
