"""Find the protected regions and give each a block of its own to enter by.

*What the compiler did*: `try:` leaves no instruction of its own from 3.11 on, only ranges in a table; on 3.10 a block
stack at run time. *The shape*: every block has at most one innermost handler, and a handler's block has the next one
outwards. *What we produce*: for each block the path of regions around it, and before each protected region one block
that ends in `EnterTry`, through which every edge from outside comes; where these lead to several blocks, by a number
(see `number_ways`). *What we refuse*: a block whose regions depend on how it was reached.
"""

from __future__ import annotations

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.flow.graph import Block, Edge, EnterTry, Graph, Jump, Path, Region
from unjit.decompiler.ir.flow.number_ways import number_ways
from unjit.decompiler.ir.flow.regions import path_after
from unjit.decompiler.ir.tree.nodes import Temp
from unjit.decompiler.passes.regions.parts.fill_holes import fill_holes
from unjit.decompiler.passes.regions.parts.merge_entries import merge_entries


def run(graph: Graph) -> None:
    if not graph.is_protected and not any(block.leaves_handler for block in graph.blocks):
        return
    blocks = {block.index: block for block in graph.blocks}
    fill_holes(graph, blocks)
    _Finder(graph, blocks).run()
    entering = _entering_edges(graph)
    for edges in entering.values():
        merge_entries(graph, edges)
    passed_on: dict[Edge, Edge] = {}
    for path in _try_paths(graph):
        edges = list(dict.fromkeys(_resolved(edge, passed_on) for edge in entering.get(path, [])))
        if graph.entry.region[: len(path)] == path:
            passed_on |= _enter_from_the_start(graph, path, edges, blocks, entering)
        else:
            passed_on |= _enter_by_one_block(graph, path, edges, blocks)
    graph.forget_order()


def _entering_edges(graph: Graph) -> dict[Path, list[Edge]]:
    """For each protected region the edges that come into it from outside."""
    entering: dict[Path, list[Edge]] = {}
    for block in graph.blocks:
        after = path_after(block)
        for edge in block.terminator.edges():
            region = edge.target.region
            for depth in range(len(region)):
                path = region[: depth + 1]
                if path[-1].kind == "try" and after[: depth + 1] != path:
                    entering.setdefault(path, []).append(edge)
    return entering


def _resolved(edge: Edge, passed_on: dict[Edge, Edge]) -> Edge:
    """The edge that now goes on from where `edge` was made to end: a region further out has its own block."""
    while edge in passed_on:
        edge = passed_on[edge]
    return edge


class _Finder:
    """Propagates region paths along normal edges and into handlers."""

    def __init__(self, graph: Graph, blocks: dict[int, Block]) -> None:
        self.graph = graph
        self.blocks = blocks
        self.known: dict[Block, Path] = {}

    def run(self) -> None:
        work = [(self.graph.entry, self._adjusted((), self.graph.entry))]
        while work:
            block, path = work.pop()
            if block in self.known:
                if self.known[block] != path:
                    raise CannotExpress(f"the code at offset {block.offset} is inside different handlers")
                continue
            self.known[block] = block.region = path
            work += self._onward(block, path)

    def _onward(self, block: Block, path: Path) -> list[tuple[Block, Path]]:
        after = path_after(block)
        following = [(b, self._adjusted(after, b)) for b in block.successors()]
        if block.handler is not None:
            handler = self.blocks[block.handler]
            outside = path[: path.index(Region("try", block.handler))]
            following.append((handler, self._adjusted((*outside, Region("except", block.handler)), handler)))
        return following

    def _adjusted(self, path: Path, block: Block) -> Path:
        """The path on entering `block` when control comes from `path`: its own handler decides about tries."""
        chain = self._chain(block.handler)
        while path and path[-1].kind == "try" and path[-1].handler not in chain:
            path = path[:-1]
        around = self._innermost(path)
        if around is not None and around not in chain:
            raise CannotExpress(f"the handlers around offset {block.offset} do not nest")
        missing = chain[: chain.index(around)] if around is not None else chain
        return path + tuple(Region("try", handler) for handler in reversed(missing))

    def _chain(self, handler: int | None) -> list[int]:
        """The handlers of a block, innermost first."""
        chain: list[int] = []
        while handler is not None:
            if handler in chain:
                raise CannotExpress("a handler protects itself")
            chain.append(handler)
            handler = self.blocks[handler].handler
        return chain

    def _innermost(self, path: Path) -> int | None:
        if not path:
            return None
        last = path[-1]
        return last.handler if last.kind == "try" else self.blocks[last.handler].handler


def _try_paths(graph: Graph) -> list[Path]:
    paths = {b.region[: k + 1] for b in graph.blocks for k, r in enumerate(b.region) if r.kind == "try"}
    return sorted(paths, key=lambda path: (len(path), [region.handler for region in path]))


def _enter_from_the_start(
    graph: Graph, path: Path, edges: list[Edge], blocks: dict[int, Block], entering: dict[Path, list[Edge]]
) -> dict[Edge, Edge]:
    """Let a function that starts in the region, perhaps further in, begin before it; then as `_enter_by_one_block`."""
    first, begin = graph.entry, _outside(graph, path, graph.entry)
    start = Edge(first)
    graph.entry, begin.terminator = begin, Jump(start)
    for depth in range(len(path), len(first.region)):
        entering.setdefault(first.region[: depth + 1], []).append(start)
    onward = _enter_by_one_block(graph, path, [*edges, start], blocks)
    if not start.args:
        graph.blocks.remove(begin)
        graph.entry = start.target
    return onward


def _outside(graph: Graph, path: Path, first: Block) -> Block:
    """A block around a region that begins with `first`."""
    block = graph.new_block(first.offset, path[:-1])
    outer = [region for region in path[:-1] if region.kind == "try"]
    block.handler = outer[-1].handler if outer else None
    return block


def _enter_by_one_block(graph: Graph, path: Path, entering: list[Edge], blocks: dict[int, Block]) -> dict[Edge, Edge]:
    """Send all entering edges through a block that begins the region; give the edge that each goes on by from there."""
    handler = path[-1].handler
    numbered = number_ways(graph, entering, path, handler) if len({edge.target for edge in entering}) > 1 else {}
    body = entering[0].target
    pad = _outside(graph, path, body)
    onward = _pass_on(entering, pad, body)
    pad.terminator = EnterTry(handler, onward, Edge(blocks[handler]))
    return numbered or dict.fromkeys(entering, onward)


def _pass_on(entering: list[Edge], pad: Block, body: Block) -> Edge:
    """Send the entering edges to the pad, which hands what they carry on to the body."""
    if len(entering) == 1:
        onward = Edge(body, entering[0].args)
        entering[0].args = []
    else:
        pad.params = [Temp() for _ in body.params]
        onward = Edge(body, list(pad.params))
    for edge in entering:
        edge.target = pad
    return onward
