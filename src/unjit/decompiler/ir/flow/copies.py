"""Copies of an exit, as the compiler makes them: how long they may be, by what they are known, and making them one."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import dropwhile

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.bytecode.constants.constant_key import constant_key
from unjit.decompiler.ir.flow.graph import Block, Branch, Edge, Graph, Jump, Leave
from unjit.decompiler.ir.flow.jumps import falls_through_a_test

LONGEST_COPY = 4  # instructions of an exit that the compiler copies, of all versions
# They end what comes before an exit, and are no part of its copies.
NOT_OF_A_COPY = frozenset({"NOP", "POP_TOP", "SWAP", "END_FOR", "END_SEND", "POP_ITER", "RESUME"})

_HAS_LINE = frozenset({"POP_EXCEPT", "RERAISE"})  # they have the line of the jump statement that leads to them


def shape(instrs: list[Instr]) -> tuple[tuple[str, object, int | None], ...]:
    """What the instructions do and on which lines: equal for copies of one exit."""
    own = (instr for instr in instrs if instr.op not in NOT_OF_A_COPY)
    return tuple((i.op.removesuffix("_CHECK"), constant_key(i.value), i.line) for i in own)


def length(instrs: list[Instr]) -> int:
    """How many instructions an exit had when the compiler decided whether to copy it: two for a superinstruction."""
    started = list(dropwhile(lambda instr: instr.op in NOT_OF_A_COPY, instrs))
    return sum(2 if instr.op in v.SUPERINSTRUCTIONS else instr.op != "NOP" for instr in started)


def lead_to_originals(graph: Graph, replaced: Mapping[Block, Block]) -> None:
    """Lead each edge that enters a copy to the block that stands for it.

    A jump statement or `pass` after a test has left its line before the copy that was made for it: the edge keeps
    it, also of the copy that stands for the others.
    """
    copies = {*replaced, *replaced.values()}
    for block, edge in list(graph.edges()):
        if edge.target in copies:
            edge.line = edge.line or _line_of_jump(block, edge)
        while edge.target in replaced:
            edge.target = replaced[edge.target]
    graph.forget_order()


def _line_of_jump(block: Block, edge: Edge) -> int | None:
    """The line of the jump statement after the test in `block` for which the copy was made that `edge` leads to."""
    copy, left = edge.target, edge.target.begins_with
    if left is None or not _goes_right_to(edge, copy.offset):
        return None
    if not (isinstance(block.terminator, Branch) or falls_through_a_test(block)):
        return None
    if left.op not in _HAS_LINE and (left.op != "NOP" or [i.line for i in copy.instrs].count(left.line) > 1):
        return None
    if left.line is None or left.line <= (block.last_line or 0) or _returns_at(left.line, copy):
        return None
    return left.line


def _goes_right_to(edge: Edge, offset: int) -> bool:
    """Whether an edge was laid there. From 3.14 on a mark stands after a test, on the way that it does not jump."""
    if edge.laid_to == offset:
        return True
    marks = edge.via.instrs if edge.via is not None else ()
    return edge.came_to == offset and all(instr.op == "NOP" and instr.line is None for instr in marks)


def _returns_at(line: int, block: Block) -> bool:
    """Whether what follows the block is a `return` on that line, which leaves a handler first."""
    if not isinstance(block.terminator, Jump):
        return False
    after = block.terminator.edge.target
    return isinstance(after.terminator, Leave) and after.first_line == line
