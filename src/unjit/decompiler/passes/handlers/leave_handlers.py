"""Several clauses of a handler that meet at its end go on after the statement, each by itself.

*What the compiler did*: after a handler stands code that only leaves it and jumps; what several clauses lead to is
there once. *The shape*: such a block right after the test that chose between the clauses. *What we produce*: edges
past it, so that each clause is seen to go on where the body does. *What we refuse*: blocks that do anything else, or
that pass values on; and those within one clause, to whose end its paths come.
"""

from __future__ import annotations

from unjit.decompiler.ir.flow.clauses import shared_by_clauses
from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.flow.jumps import only_jump


def run(graph: Graph) -> None:
    if not graph.is_protected:
        return
    entries = graph.entering_edges()
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
