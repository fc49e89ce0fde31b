"""Returns that stand outside a region only because they cannot raise go back into it.

*What the compiler did*: the value of `return f(x)` in a try body was computed inside the protected range, and returned
outside it. *What we produce*: the return in the region of the only blocks that lead to it. *What we refuse*: anything
that could raise there.
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.graph import Block, EnterTry, Graph, Leave, Region
from unjit.decompiler.ir.nodes import Temp
from unjit.decompiler.passes.find_regions import path_after


def run(graph: Graph) -> None:
    before: dict[Block, list[Block]] = {}
    for block in graph.reachable():
        for following in block.successors():
            before.setdefault(following, []).append(block)
    for block, entries in before.items():
        paths = {path_after(entry) for entry in entries}
        leaving = {entry.region for entry in entries if entry.leaves_handler and not entry.statements}
        if _only_returns(block) and not any(isinstance(e.terminator, EnterTry) for e in entries):
            if len(paths) == 1:
                _move(block, paths.pop())
            if len(leaving) == 1 and len(entries) == 1:
                _move(block, leaving.pop())


def _only_returns(block: Block) -> bool:
    if len(block.statements) != 1 or not isinstance(block.terminator, Leave):
        return False
    returned = block.statements[0]
    return isinstance(returned, ast.Return) and isinstance(returned.value, ast.Constant | ast.Name | Temp)


def _move(block: Block, path: tuple[Region, ...]) -> None:
    if path[: len(block.region)] == block.region:
        block.region = path
