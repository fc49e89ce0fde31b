"""Returns that stand outside a region only because they cannot raise go back into it.

*What the compiler did*: the value of `return f(x)` in a try body was computed inside the protected range, and returned
outside it. *What we produce*: the return in the region of the only blocks that lead to it. *What we refuse*: anything
that could raise there.
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.graph import Block, EnterTry, Graph, Jump, Leave, Region
from unjit.decompiler.ir.nodes import Temp, offset_of
from unjit.decompiler.passes.find_regions import path_after


def run(graph: Graph) -> None:
    """In reverse post-order, so that a return behind an empty block follows that block."""
    if not graph.is_protected:
        return
    before: dict[Block, list[Block]] = {}
    for block in graph.reachable():
        for following in block.successors():
            before.setdefault(following, []).append(block)
    for block in graph.reachable():
        entries = before.get(block, [])
        if not (_only_returns(block) or _is_empty(block)) or any(_is_pad(entry) for entry in entries):
            continue
        # Behind a block that leaves a handler, a return can as well come before the leaving.
        alone = len(entries) == 1 and _only_returns(block)
        paths = {entry.region if alone else path_after(entry) for entry in entries}
        if len(paths) == 1 and not _written_behind(graph, block, *paths):
            _move(block, paths.pop())


def _written_behind(graph: Graph, block: Block, path: tuple[Region, ...]) -> bool:
    """Whether a return of a constant has a line behind the handler's, so that it stood behind the statement."""
    returned = block.statements[0] if block.statements else None
    if not isinstance(returned, ast.Return) or not isinstance(returned.value, ast.Constant) or not path:
        return False
    handler = next((b for b in graph.blocks if b.index == path[-1].handler), None)
    line, other = block.last_line, handler.last_line if handler is not None else None
    return path[-1].kind == "try" and line is not None and other is not None and line > other


def _is_pad(block: Block) -> bool:
    return isinstance(block.terminator, EnterTry)


def _is_empty(block: Block) -> bool:
    return not block.statements and not block.leaves_handler and isinstance(block.terminator, Jump)


def _only_returns(block: Block) -> bool:
    """A return of a constant, or of a value that was taken before the block."""
    if len(block.statements) != 1 or not isinstance(block.terminator, Leave):
        return False
    returned = block.statements[0]
    if not isinstance(returned, ast.Return):
        return False
    if isinstance(returned.value, ast.Name):
        return offset_of(returned.value) not in {instr.offset for instr in block.instrs}
    return isinstance(returned.value, ast.Constant | Temp)


def _move(block: Block, path: tuple[Region, ...]) -> None:
    if path[: len(block.region)] == block.region:
        block.region = path
