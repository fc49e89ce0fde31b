"""Splitting a block: its end becomes a block of its own."""

from __future__ import annotations

from unjit.decompiler.ir.flow.graph import Block, Graph


def split_block(graph: Graph, block: Block, *, statements: int, instrs: int) -> Block:
    """Keep the first `statements` and `instrs` of the block; give a new block with the rest, which goes on as it did.

    The caller has to give the block its new terminator.
    """
    rest = graph.new_block(block.instrs[instrs].offset, block.region)
    rest.handler, rest.terminator = block.handler, block.terminator
    rest.instrs, rest.statements = block.instrs[instrs:], block.statements[statements:]
    block.instrs = block.instrs[:instrs]
    del block.statements[statements:]
    return rest
