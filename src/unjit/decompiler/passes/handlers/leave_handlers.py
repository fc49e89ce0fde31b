"""Several clauses of a handler that meet at its end go on behind the statement, each by itself.

*What the compiler did*: behind a handler stands code that only leaves it and jumps; what several clauses lead to is
there once. *The shape*: such a block right behind the test that chose between the clauses. *What we produce*: edges
past it, so that each clause is seen to go on where the body does. *What we refuse*: blocks that do anything else, or
that pass values on; and those within one clause, to whose end its paths come.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unjit.decompiler.ir.dominators import Dominators
from unjit.decompiler.ir.exits import only_jump
from unjit.decompiler.ir.graph import Block, Branch, Graph
from unjit.decompiler.ir.nodes import MatchesException


def run(graph: Graph) -> None:
    if not graph.is_protected:
        return
    entries = graph.predecessors()
    shared = shared_by_clauses(graph, entries)
    for block in shared:
        target = block
        while target in shared and (onward := only_jump(target)) is not None:  # one may lead to another
            assert len(onward.target.region) < len(target.region)
            target = onward.target
        for edge in entries[block]:
            edge.target = target
    if shared:
        graph.forget_order()


def shared_by_clauses(graph: Graph, entries: Mapping[Block, Sequence[object]]) -> dict[Block, None]:
    """The ends of handlers that several clauses come to; `entries` has what leads to each block."""
    shared = [block for block, leading in entries.items() if len(leading) > 1 and _only_leaves(block)]
    if not shared:
        return {}
    dominators = Dominators(graph)
    return {block: None for block in shared if _asks_for_clause(dominators.idom(block))}


def _only_leaves(block: Block) -> bool:
    return block.leaves_handler and only_jump(block) is not None


def _asks_for_clause(block: Block | None) -> bool:
    return (
        block is not None
        and isinstance(block.terminator, Branch)
        and isinstance(block.terminator.test, MatchesException)
    )
