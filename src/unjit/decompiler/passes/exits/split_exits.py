"""Exits that several blocks end in, each by a copy of its own, as blocks that `merge_exits` makes one of.

*What the compiler did*: it copied a short exit, a return or the last statements of a function or module, to each jump
that led to it, after what stood there. *The shape*: blocks that end in the same statements on the same lines, with
work, or a `break`, on other lines before. *What we refuse*: exits of which there is no other copy, and those that take
anything from the lines before.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from unjit.bytecode import Instr
from unjit.decompiler.ir.as_written.jump_statements import DROPS_ITERATOR
from unjit.decompiler.ir.flow.copies import LONGEST_COPY, NOT_OF_A_COPY, shape
from unjit.decompiler.ir.flow.exits import ends_frame
from unjit.decompiler.ir.flow.graph import Block, Edge, Graph, Jump
from unjit.decompiler.ir.flow.split_block import split_block
from unjit.decompiler.ir.tree.nodes import Temp
from unjit.decompiler.ir.tree.notes import offset_of

_LEAVES_LOOP = DROPS_ITERATOR | {"NOP"}


def run(graph: Graph) -> None:
    leaving = _leaving_together(graph)
    ends: dict[object, list[Block]] = {}
    for block in leaving:
        for tail in tails(block):
            ends.setdefault((block.region, shape(tail)), []).append(block)
    copied = {end for end, found in ends.items() if len({shape(block.instrs) for block in found}) > 1}  # not as a whole
    entries = graph.entering_edges() if copied else {}
    for block in leaving if copied else ():
        for tail in _longest(block, copied):
            count = count_in(tail, block)
            if len(block.statements) > count or _begins_with_break(block, tail, entries[block]):
                split(graph, block, tail, count)
                break


def _longest(block: Block, copied: set[object]) -> list[list[Instr]]:
    """The longest end of a block that is copied, with and without what drops an iterator before it.

    No shorter ones: a block that is a copy as a whole is left whole.
    """
    found = [tail for tail in tails(block) if (block.region, shape(tail)) in copied]
    return [tail for tail in found if shape(tail) == shape(found[0])]


def _leaving_together(graph: Graph) -> list[Block]:
    """The blocks that end in an exit on a line on which another one does."""
    leaving = [(block, _exit_line(block)) for block in graph.reachable() if ends_in_exit(block)]
    lines = Counter((block.region, line) for block, line in leaving)
    return [block for block, line in leaving if lines[block.region, line] > 1]


def _exit_line(block: Block) -> int | None:
    """The line of the last thing that it does."""
    return next((instr.line for instr in reversed(block.instrs) if instr.op not in NOT_OF_A_COPY), None)


def ends_in_exit(block: Block) -> bool:
    """Whether it returns, or goes from a statement to the end of a module."""
    if not block.statements or not ends_frame(block):
        return False
    return isinstance(block.terminator, Jump) or isinstance(block.statements[-1], ast.Return | ast.Raise)


def tails(block: Block) -> Iterator[list[Instr]]:
    """What may be a copy of an exit, the longest first: its last instructions from the beginning of a line on."""
    instrs = block.instrs
    for k in range(max(0, len(instrs) - 2 * LONGEST_COPY), len(instrs)):
        tail = instrs[k:]
        begins_line = k == 0 or instrs[k - 1].line != instrs[k].line
        if begins_line and 0 < len(shape(tail)) <= LONGEST_COPY and count_in(tail, block):
            yield tail


def count_in(tail: list[Instr], block: Block) -> int:
    """How many of the last statements these instructions are, if they do nothing else and nothing else does them."""
    start, count = tail[0].offset if tail else 0, 0
    for statement in reversed(block.statements if tail else []):
        if (offset_of(statement) or start) < start:
            break
        count += 1
        nodes = list(ast.walk(statement))
        if any(isinstance(node, Temp) or (offset_of(node) or start) < start for node in nodes):
            return 0
    return count


def _begins_with_break(block: Block, tail: list[Instr], entries: list[Edge]) -> bool:
    """Whether a `break` that several ways lead to stands before the return, on a line of its own."""
    before = block.instrs[: -len(tail)]
    several = len(entries) > 1 and all(edge.laid_to == block.offset for edge in entries)
    return several and bool(before) and all(instr.op in _LEAVES_LOOP and instr.line is not None for instr in before)


def split(graph: Graph, block: Block, tail: list[Instr], count: int) -> None:
    """Put the last statements, which these instructions do, into a block of their own."""
    after, instrs = len(block.statements) - count, len(block.instrs) - len(tail)
    end = split_block(graph, block, statements=after, instrs=instrs)
    block.terminator = Jump(Edge(end, place=end.offset))
    graph.forget_order()
