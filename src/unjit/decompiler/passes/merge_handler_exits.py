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
    working: list[tuple[Block, object]] = []
    for block in graph.reachable():
        jump = block.terminator
        if block.params or not block.leaves_handler or not isinstance(jump, Jump) or jump.edge.args:
            continue
        way = (block.region, onward(jump.edge.target))
        if block.statements:
            working.append((block, way))
        elif kept.setdefault(way, block) is not block:
            replaced[block] = kept[way]
    for block, way in working:
        if way in kept:
            block.leaves_handler, block.terminator.edge.target = False, kept[way]
    if replaced or working:
        for _, edge in list(graph.edges()):
            edge.target = replaced.get(edge.target, edge.target)
        graph.forget_order()
