"""One way into each loop that control enters at several places.

*What the compiler did*: nothing of the kind; see `number_ways`. *The shape*: blocks that all reach one another, several
of which are reached from elsewhere. *What we produce*: a head in front of them, to which every edge to one of the
several leads, and from which it goes on by its number; what is left of the loop without its head is looked at in the
same way. *What we refuse*: places in different regions, and those that a handler begins at.
"""

from __future__ import annotations

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.cycles import cycles
from unjit.decompiler.ir.graph import Block, Edge, EnterTry, Graph, Jump
from unjit.decompiler.passes.number_ways import number_ways


def run(graph: Graph) -> None:
    work = [set(graph.reachable())]
    while work:
        for cycle in cycles(work.pop()):
            entries = _entries(graph, cycle)
            head = entries.pop() if len(entries) == 1 else _head(graph, entries)
            work.append(cycle - {head})
    graph.forget_order()


def _entries(graph: Graph, cycle: set[Block]) -> set[Block]:
    """The blocks of a cycle that control comes to from outside."""
    entries = {edge.target for block, edge in graph.edges() if block not in cycle and edge.target in cycle}
    return entries | ({graph.entry} & cycle)


def _head(graph: Graph, entries: set[Block]) -> Block:
    """A block through which control comes to each of these."""
    first = min(entries, key=lambda block: block.offset)
    if any(block.region != first.region for block in entries):
        raise CannotExpress(f"the loop through offset {first.offset} is entered within different handlers")
    if graph.entry in entries:
        start = graph.new_block(graph.entry.offset, graph.entry.region)
        start.handler, start.terminator, graph.entry = graph.entry.handler, Jump(Edge(graph.entry)), start
        graph.forget_order()
    into = [(block, edge) for block, edge in graph.edges() if edge.target in entries]
    if any(isinstance(block.terminator, EnterTry) and edge is block.terminator.caught for block, edge in into):
        raise CannotExpress(f"a handler is the entry at offset {first.offset} of a loop")
    edges = [edge for _, edge in into]
    number_ways(graph, edges, first.region, first.handler)
    graph.forget_order()
    return edges[0].target
