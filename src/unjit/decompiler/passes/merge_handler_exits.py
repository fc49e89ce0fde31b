"""One way out of a handler for each place that it goes on to.

*What the compiler did*: from 3.12 on it copied the end of a handler, which only leaves it and jumps, to every path that
comes there. *What we produce*: one block, so that what stands before it is seen to come to its end on every path. *What
we refuse*: blocks that do anything else, or that pass values on.
"""

from __future__ import annotations

from unjit.decompiler.ir.graph import Block, Graph, Jump
from unjit.decompiler.passes.exits import onward


def run(graph: Graph) -> None:
    if not graph.is_protected:
        return
    kept: dict[object, Block] = {}
    replaced: dict[Block, Block] = {}
    for block in graph.reachable():
        jump = block.terminator
        if block.statements or block.params or not block.leaves_handler or not isinstance(jump, Jump) or jump.edge.args:
            continue
        first = kept.setdefault((block.region, onward(jump.edge.target)), block)
        if first is not block:
            replaced[block] = first
    if replaced:
        for _, edge in list(graph.edges()):
            edge.target = replaced.get(edge.target, edge.target)
        graph.forget_order()
