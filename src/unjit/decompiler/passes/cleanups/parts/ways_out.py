"""The edges out of a protected region, which may pass through blocks that do nothing but leave a handler."""

from __future__ import annotations

from unjit.decompiler.ir.graph import Block, Edge, Jump, Path
from unjit.decompiler.ir.regions import path_after


def ways_out(inside: list[Block], path: Path) -> list[tuple[Block, Edge]]:
    """Edges from blocks inside the region to outside, behind blocks that only leave a handler."""
    found = []
    for block in inside:
        if path_after(block)[: len(path)] == path:
            found += [(block, e) for e in block.terminator.edges() if e.target.region[: len(path)] != path]
    return found


def behind_handler_exit(edge: Edge) -> Block:
    """Where an edge leads, past blocks that do nothing but leave a handler."""
    block = edge.target
    while not block.statements and block.leaves_handler and isinstance(block.terminator, Jump):
        block = block.terminator.edge.target
    return block


def only_leaves(block: Block) -> bool:
    return block.leaves_handler and not block.statements and isinstance(block.terminator, Jump)
