"""One way out of a handler for each place that it goes on to.

*What the compiler did*: from 3.12 on it copied the end of a handler, which only leaves it and jumps, to every path that
comes there; behind what a path does before. *What we produce*: one block, so that what stands before it is seen to come
to its end on every path. *What we refuse*: blocks that pass values on.
"""

from __future__ import annotations

from unjit.decompiler.ir.graph import Block, Edge, Graph, Jump, Region
from unjit.decompiler.passes.exits import onward

Way = tuple[tuple[Region, ...], Block]  # the regions that a path ends in, and where it goes on


def run(graph: Graph) -> None:
    if not graph.is_protected:
        return
    kept: dict[Way, Block] = {}
    replaced: dict[Block, Block] = {}
    working: list[tuple[Block, Edge, Way]] = []
    for block in graph.reachable():
        jump = block.terminator
        if block.params or not block.leaves_handler or not isinstance(jump, Jump) or jump.edge.args:
            continue
        way = (block.region, onward(jump.edge.target))
        if block.statements:
            working.append((block, jump.edge, way))
        elif kept.setdefault(way, block) is not block:
            replaced[block] = kept[way]
    for block, edge, way in working:
        if way in kept:
            block.leaves_handler, edge.target = False, kept[way]
    if replaced or working:
        for _, edge in list(graph.edges()):
            edge.target = replaced.get(edge.target, edge.target)
        graph.forget_order()
