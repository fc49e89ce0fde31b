"""Three-address statements back to expressions, in each block; see `folding.fold`."""

from __future__ import annotations

from unjit.decompiler.folding.fold import fold_block
from unjit.decompiler.ir.flow.graph import Graph


def run(graph: Graph) -> None:
    for block in graph.reachable():
        fold_block(block)
