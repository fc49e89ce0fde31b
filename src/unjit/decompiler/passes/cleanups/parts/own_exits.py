"""The exit of a `return` that stood before a copy of a cleanup, told from exits that are like it.

*What the compiler did*: it gave a return after a cleanup no line of its own (3.11 and later), so that each has that of
the cleanup. *The shape*: a copy after which one exit stands for all of them. *What we produce*: an exit for each
`return` that left a NOP before its copy.
"""

from __future__ import annotations

import copy as shallow

from unjit.bytecode import Instr
from unjit.decompiler.ir.as_written.jump_words import RETURNS, word_at
from unjit.decompiler.ir.flow.copies import LONGEST_COPY, length
from unjit.decompiler.ir.flow.exits import is_bare_exit, returns_nothing
from unjit.decompiler.ir.flow.graph import Block, Graph, Jump, Leave
from unjit.decompiler.passes.cleanups.parts.match_copies import Copy


def take_exit(graph: Graph, copy: Copy, nop: Instr) -> None:
    """Give the `return` before a copy, whose NOP it is, an exit of its own, if it has none."""
    rest = end = copy.block
    if copy.count == len(rest.statements) and isinstance(rest.terminator, Jump):
        end = rest.terminator.edge.target
    elif copy.count or not copy.blocks:
        return
    if not is_bare_exit(end) or end.region != rest.region or not is_return(graph, nop, copy, end):
        return
    if end is rest:
        copy.block = rest = graph.new_block(end.offset, end.region)
        rest.handler, rest.leaves_handler = end.handler, end.leaves_handler
    rest.instrs = [*rest.instrs, *end.instrs]
    rest.statements += map(shallow.copy, end.statements)
    rest.terminator = end.terminator


def ending_together(copies: list[Copy]) -> list[Copy]:
    """The copies whose last statements are in the block in which one before them ends: its own are those of both."""
    taken: set[Block] = set()
    found = []
    for copy in copies:
        if copy.count and copy.block in taken:
            found.append(copy)
        taken.add(copy.block)
    return found


def goes_on(end: Block) -> bool:
    """Whether control goes on after a block: what leaves the frame can be written twice."""
    return not isinstance(end.terminator, Leave)


def end_apart(graph: Graph, copies: list[Copy]) -> None:
    """Have no two copies end in one block: where the exits after them were equal, the ends of both were made one."""
    for copy in ending_together(copies):
        end = copy.block
        copy.block = graph.new_block(end.offset, end.region)
        copy.block.handler, copy.block.leaves_handler = end.handler, end.leaves_handler
        copy.block.instrs, copy.block.params = [*end.instrs], [*end.params]
        copy.block.statements = [*map(shallow.copy, end.statements)]


def is_return(graph: Graph, nop: Instr, copy: Copy, end: Block) -> bool:
    """Whether what stood before a copy is a `return`: then what it returns has a line of the copy.

    Where it returns nothing, the width of the word tells, or that this is no short exit.
    """
    if not returns_nothing(end):
        lines = {instr.line for block in (*copy.blocks, copy.block) for instr in block.instrs if block is not end}
        return end.last_line in lines
    return return_left(graph, nop) is not None or length(copy.block.instrs) > LONGEST_COPY


def return_left(graph: Graph, nop: Instr) -> str | None:
    """The words of the `return` of nothing that has left the NOP, if their width tells that it is one."""
    place = graph.positions.at(nop.offset)
    word = None if place is None else word_at(place, graph.positions)
    return word if word in RETURNS else None
