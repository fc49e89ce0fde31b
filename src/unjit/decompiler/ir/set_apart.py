"""The end of a block as a block of its own."""

from __future__ import annotations

from unjit.decompiler.ir.graph import Block, Graph


def set_apart(graph: Graph, block: Block, *, statements: int, instrs: int) -> Block:
    """Move what stands behind so many statements and instructions to a new block, which goes on as this one did.

    How this one goes on now is for the caller to say.
    """
    apart = graph.new_block(block.instrs[instrs].offset, block.region)
    apart.handler, apart.terminator = block.handler, block.terminator
    apart.instrs, apart.statements = block.instrs[instrs:], block.statements[statements:]
    block.instrs = block.instrs[:instrs]
    del block.statements[statements:]
    return apart
