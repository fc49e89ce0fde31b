"""Returns that several blocks end in, each by a copy of its own, as blocks that `merge_exits` makes one of.

*What the compiler did*: it copied a short return to each jump that led to it, behind what stood there. *The shape*:
blocks that end in the same return on the same line, with work, or a `break`, on other lines before. *What we refuse*:
returns of which there is no other copy, and those that take anything from the lines before.
"""

from __future__ import annotations

import ast

from unjit.bytecode import Instr
from unjit.decompiler.ir.graph import Block, Edge, Graph, Jump, Leave
from unjit.decompiler.ir.nodes import Temp, offset_of
from unjit.decompiler.passes.merge_exits import shape

_LONGEST = 4
_LEAVES_LOOP = frozenset({"POP_TOP", "NOP"})


def run(graph: Graph) -> None:
    returning = [block for block in graph.reachable() if isinstance(block.terminator, Leave) and _returned(block)]
    if len(returning) < 2:
        return
    ends: dict[object, list[tuple[Block, list[Instr]]]] = {}
    entries = graph.predecessors()
    for block in returning:
        returned = block.statements[-1]
        tail = [instr for instr in block.instrs if instr.line == block.last_line]
        work = shape(tail)
        if work and len(work) <= _LONGEST and _is_all_of(returned, tail, block):
            ends.setdefault((block.region, work), []).append((block, tail))
    for found in ends.values():
        if len(found) > 1 and len({shape(block.instrs) for block, _ in found}) > 1:  # else copied as a whole
            for block, tail in found:
                if len(block.statements) > 1 or _begins_with_word(block, tail, entries[block]):
                    _split(graph, block, tail)
            graph.forget_order()


def _returned(block: Block) -> bool:
    return bool(block.statements) and isinstance(block.statements[-1], ast.Return)


def _is_all_of(returned: ast.stmt, tail: list[Instr], block: Block) -> bool:
    """Whether the instructions are the last of the block, and compute all that is returned."""
    if tail != block.instrs[-len(tail) :]:
        return False
    before = block.statements[-2:-1]  # on another line, so that the return was written
    if any((offset_of(statement) or tail[0].offset) >= tail[0].offset for statement in before):
        return False
    nodes = list(ast.walk(returned))
    if any(isinstance(node, Temp) for node in nodes):
        return False
    return all((offset_of(node) or tail[0].offset) >= tail[0].offset for node in nodes)


def _begins_with_word(block: Block, tail: list[Instr], entries: list[Edge]) -> bool:
    """Whether a `break` that several ways lead to stands in front of the return, on a line of its own."""
    before = block.instrs[: -len(tail)]
    several = len(entries) > 1 and all(edge.laid_to == block.offset for edge in entries)
    return several and bool(before) and all(instr.op in _LEAVES_LOOP and instr.line is not None for instr in before)


def _split(graph: Graph, block: Block, tail: list[Instr]) -> None:
    end = graph.new_block(tail[0].offset, block.region)
    end.handler, end.instrs, end.statements = block.handler, tail, [block.statements.pop()]
    block.instrs = block.instrs[: -len(tail)]
    block.terminator = Jump(Edge(end, place=tail[0].offset))
