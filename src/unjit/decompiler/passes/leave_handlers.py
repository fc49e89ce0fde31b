"""Several clauses of a handler that meet at its end go on behind the statement, each by itself.

*What the compiler did*: behind a handler stands code that only leaves it and jumps; what several clauses lead to is
there once. *The shape*: such a block right behind the test that chose between the clauses. *What we produce*: edges
past it, so that each clause is seen to go on where the body does. *What we refuse*: blocks that do anything else, or
that pass values on; and those within one clause, to whose end its paths come.
"""

from __future__ import annotations

from unjit.decompiler.ir.dominators import Dominators
from unjit.decompiler.ir.graph import Block, Branch, Graph
from unjit.decompiler.ir.nodes import MatchesException
from unjit.decompiler.passes.exits import only_jump


def run(graph: Graph) -> None:
    if not graph.is_protected:
        return
    entries = graph.predecessors()
    shared = [block for block, edges in entries.items() if len(edges) > 1 and _only_leaves(block)]
    if not shared:
        return
    dominators = Dominators(graph)
    for block in shared:
        chooser, onward = dominators.idom(block), only_jump(block)
        if chooser is not None and _asks_for_clause(chooser) and onward is not None:
            for edge in entries[block]:
                edge.target = onward.target
    graph.forget_order()


def _only_leaves(block: Block) -> bool:
    return block.leaves_handler and only_jump(block) is not None


def _asks_for_clause(block: Block) -> bool:
    return isinstance(block.terminator, Branch) and isinstance(block.terminator.test, MatchesException)
