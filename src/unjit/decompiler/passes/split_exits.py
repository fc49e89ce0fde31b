"""Exits that several blocks end in, each by a copy of its own, as blocks that `merge_exits` makes one of.

*What the compiler did*: it copied a short exit, a return or the last statement of a module, to each jump that led to
it, behind what stood there. *The shape*: blocks that end in the same statement on the same line, with work, or a
`break`, on other lines before. *What we refuse*: exits of which there is no other copy, and those that take anything
from the lines before.
"""

from __future__ import annotations

import ast
import itertools

from unjit.bytecode import Instr
from unjit.decompiler.ir.graph import Block, Edge, Graph, Jump
from unjit.decompiler.ir.nodes import Temp, offset_of
from unjit.decompiler.passes.exits import ends_frame
from unjit.decompiler.passes.merge_exits import shape

_LONGEST = 4
_LEAVES_LOOP = frozenset({"POP_TOP", "NOP"})


def run(graph: Graph) -> None:
    leaving = [block for block in graph.reachable() if _ends_in_exit(block)]
    if len(leaving) < 2:
        return
    ends: dict[object, list[tuple[Block, list[Instr]]]] = {}
    entries = graph.predecessors()
    for block in leaving:
        last = block.statements[-1]
        tail = _last_of_one_line(block.instrs)
        work = shape(tail)
        if work and len(work) <= _LONGEST and _is_all_of(last, tail, block):
            ends.setdefault((block.region, work), []).append((block, tail))
    for found in ends.values():
        if len(found) > 1 and len({shape(block.instrs) for block, _ in found}) > 1:  # else copied as a whole
            for block, tail in found:
                if len(block.statements) > 1 or _begins_with_word(block, tail, entries[block]):
                    _split(graph, block, tail)
            graph.forget_order()


def _ends_in_exit(block: Block) -> bool:
    """Whether it returns, or goes from a statement to the end of a module."""
    if not block.statements or not ends_frame(block):
        return False
    return isinstance(block.terminator, Jump) or isinstance(block.statements[-1], ast.Return)


def _last_of_one_line(instrs: list[Instr]) -> list[Instr]:
    line = instrs[-1].line if instrs else None
    last = list(itertools.takewhile(lambda instr: instr.line == line, reversed(instrs)))
    return last[::-1]


def _is_all_of(last: ast.stmt, tail: list[Instr], block: Block) -> bool:
    """Whether these instructions do all that the block's last statement does, and no more."""
    before = block.statements[-2:-1]  # on another line, so that the last was written
    if any((offset_of(statement) or tail[0].offset) >= tail[0].offset for statement in before):
        return False
    nodes = list(ast.walk(last))
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
    end.terminator, block.instrs = block.terminator, block.instrs[: -len(tail)]
    block.terminator = Jump(Edge(end, place=tail[0].offset))
