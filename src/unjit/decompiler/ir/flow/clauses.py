"""The clauses of handlers: the tests that choose between them, and the ends that several come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unjit.decompiler.ir.flow.dominators import Dominators
from unjit.decompiler.ir.flow.graph import Block, Branch, Graph
from unjit.decompiler.ir.flow.jumps import only_jump
from unjit.decompiler.ir.tree.nodes import MatchesException


def shared_by_clauses(graph: Graph, entries: Mapping[Block, Sequence[object]]) -> dict[Block, None]:
    """The ends of handlers that several clauses come to; `entries` has what leads to each block."""
    shared = [block for block, leading in entries.items() if len(leading) > 1 and _only_leaves(block)]
    if not shared:
        return {}
    dominators = Dominators(graph)
    return {block: None for block in shared if asks_for_clause(dominators.idom(block))}


def _only_leaves(block: Block) -> bool:
    return block.leaves_handler and only_jump(block) is not None


def asks_for_clause(block: Block | None) -> bool:
    return (
        block is not None
        and isinstance(block.terminator, Branch)
        and isinstance(block.terminator.test, MatchesException)
    )
