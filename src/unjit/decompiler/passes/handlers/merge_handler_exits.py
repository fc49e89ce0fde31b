"""One way out of a handler for each place that it goes on to.

*What the compiler did*: from 3.12 on it copied the end of a handler, which only leaves it and jumps, to every path that
comes there, after what the path does itself. *What we produce*: one block, so that what stands before it is seen to
come to its end on every path. *What we refuse*: blocks that pass values on, and those that are a `continue`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from unjit.bytecode import versions as v
from unjit.decompiler.ir.flow.copies import lead_to_originals
from unjit.decompiler.ir.flow.exits import ends_frame
from unjit.decompiler.ir.flow.graph import Block, Edge, Graph, Jump, Path
from unjit.decompiler.ir.flow.jumps import onward
from unjit.decompiler.ir.tree.nodes import Reraise

Way = tuple[Path, Block]  # the regions that a path ends in, and where it goes on


def run(graph: Graph) -> None:
    _merge(graph, lambda _: True)


def run_where_exits_are_one(graph: Graph) -> None:
    """Again, before exits that were copied."""
    _merge(graph, lambda way: ends_frame(way[1]))


def _merge(graph: Graph, concerns: Callable[[Way], bool]) -> None:
    """Until nothing changes: ends of inner handlers go on to the same place once those of outer ones are one."""
    while _merge_once(graph, concerns):
        pass


def _merge_once(graph: Graph, concerns: Callable[[Way], bool]) -> bool:
    """Whether there was any to merge."""
    kept: dict[Way, Block] = {}
    replaced: dict[Block, Block] = {}
    working: list[tuple[Block, Edge, Way]] = []
    for block, edge in _ends(graph):
        way = (block.region, onward(edge.target))
        if not concerns(way) or _is_said(edge):
            continue
        if block.statements:
            working.append((block, edge, way))
        elif kept.setdefault(way, block) is not block:
            replaced[block] = kept[way]
    if working and not v.PY312:
        _make_ends(graph, [way for _, _, way in working], kept)
    working = [found for found in working if found[2] in kept]
    for block, edge, way in working:
        block.leaves_handler, edge.target, edge.via = False, kept[way], None  # what it skipped is after that
    if not (replaced or working):
        return False
    lead_to_originals(graph, replaced)
    return True


def _is_said(edge: Edge) -> bool:
    """Whether a statement that only goes somewhere is there, or after blocks that do nothing."""
    seen: set[Block] = set()
    while edge.line is None:
        block = edge.target
        if block.statements or block in seen or not isinstance(block.terminator, Jump):
            return False
        seen.add(block)
        edge = block.terminator.edge
    return True


def _make_ends(graph: Graph, ways: list[Way], kept: dict[Way, Block]) -> None:
    """One way out of a handler in a finally suite before the end of that, which was copied with it.

    The suite's other copy, which goes on after the statement, has one.
    """
    for way, count in Counter(ways).items():
        region, onward_to = way
        if count > 1 and way not in kept and _only_reraises(onward_to):
            kept[way] = graph.new_block(onward_to.offset, region)
            kept[way].leaves_handler, kept[way].terminator = True, Jump(Edge(onward_to))


def _only_reraises(block: Block) -> bool:
    return len(block.statements) == 1 and isinstance(block.statements[0], Reraise)


def _ends(graph: Graph) -> Iterator[tuple[Block, Edge]]:
    """The blocks that leave a handler and jump."""
    for block in graph.reachable() if graph.is_protected else ():
        jump = block.terminator
        if block.leaves_handler and isinstance(jump, Jump) and not block.params and not jump.edge.args:
            yield block, jump.edge
