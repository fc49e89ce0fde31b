"""The edges out of a protected region, which may pass through blocks that do nothing but leave a handler."""

from __future__ import annotations

from unjit.decompiler.ir.flow.graph import Block, Edge, Jump, Path
from unjit.decompiler.ir.flow.regions import path_after
from unjit.decompiler.ir.tree.nodes import Temp


def ways_out(inside: list[Block], path: Path) -> list[tuple[Block, Edge]]:
    """Edges from blocks inside the region to outside, after blocks that only leave a handler."""
    found = []
    for block in inside:
        if path_after(block)[: len(path)] == path:
            found += [(block, e) for e in block.terminator.edges() if e.target.region[: len(path)] != path]
    return found


def after_handler_exit(edge: Edge) -> Block:
    """Where an edge leads, past blocks that do nothing but leave a handler: they compute no value to hand on."""
    block = edge.target
    while (left := _left_by(block)) is not None and all(isinstance(arg, Temp) for arg in left.args):
        block = left.target
    return block


def only_leaves(block: Block) -> bool:
    return _left_by(block) is not None


def _left_by(block: Block) -> Edge | None:
    """The edge of a block without statements that leaves a handler."""
    jump = block.terminator
    return jump.edge if block.leaves_handler and not block.statements and isinstance(jump, Jump) else None
