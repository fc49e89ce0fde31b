"""One way into each loop that control enters at several places.

*What the compiler did*: nothing of the kind; see `number_ways`. *The shape*: blocks that all reach one another, several
of which are reached from elsewhere. *What we produce*: a head before them, to which every edge to one of the
several leads, and from which it goes on by its number; what is left of the loop without its head is looked at in the
same way. *What we refuse*: places in different regions, and those that a handler begins at.
"""

from __future__ import annotations

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.flow.cycles import cycles
from unjit.decompiler.ir.flow.graph import Block, Edge, EnterTry, Graph, Jump
from unjit.decompiler.ir.flow.number_ways import number_ways


def run(graph: Graph) -> None:
    work = [graph.reachable()]
    while work:
        for cycle in cycles(work.pop()):
            entries = _entries(graph, set(cycle))
            head = entries.pop() if len(entries) == 1 else one_way_into(graph, entries)
            work.append([block for block in cycle if block is not head])
    graph.forget_order()


def _entries(graph: Graph, cycle: set[Block]) -> set[Block]:
    """The blocks of a cycle that control comes to from outside."""
    entries = {edge.target for block, edge in graph.edges() if block not in cycle and edge.target in cycle}
    return entries | ({graph.entry} & cycle)


def one_way_into(graph: Graph, blocks: set[Block]) -> Block:
    """A block through which from now on control comes to each of these."""
    first = min(blocks, key=lambda block: (block.offset, block.index))
    if any(block.region != first.region for block in blocks):
        raise CannotExpress(f"what begins at offset {first.offset} is entered within different handlers")
    if graph.entry in blocks:
        start = graph.new_block(graph.entry.offset, graph.entry.region)
        start.handler, start.terminator, graph.entry = graph.entry.handler, Jump(Edge(graph.entry)), start
        graph.forget_order()
    into = [(block, edge) for block, edge in graph.edges() if edge.target in blocks]
    if any(isinstance(block.terminator, EnterTry) and edge is block.terminator.caught for block, edge in into):
        raise CannotExpress(f"what begins at offset {first.offset} is entered by a handler")
    edges = [edge for _, edge in into]
    number_ways(graph, edges, first.region, first.handler)
    graph.forget_order()
    return edges[0].target
