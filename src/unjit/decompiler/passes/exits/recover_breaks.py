"""A `break` of which the line is left before a copy of the exit after the loop.

*What the compiler did*: it copied a short exit to where a `break` jumped to it, after what drops the iterator. *The
shape*: a block that ends in dropping an iterator on a line of its own, and in an exit on lines after that. *What we
produce*: a block that begins by dropping it, of which one sees that it was after the loop; where several ways lead to
the `break`, that and the exit in a block each. *What we refuse*: what drops the value of a statement; and, of several
ways, any that come from elsewhere, such as from the end of the loop.
"""

from __future__ import annotations

from unjit.bytecode import Instr
from unjit.decompiler.ir.as_written.jump_statements import DROPS_ITERATOR, iterator_dropped
from unjit.decompiler.ir.flow.graph import Block, Edge, Graph
from unjit.decompiler.ir.tree.notes import offset_of
from unjit.decompiler.passes.exits.split_exits import count_in, ends_in_exit, split, tails


def run(graph: Graph) -> None:
    leaving = [block for block in graph.reachable() if ends_in_exit(block) and _drops_something(block)]
    if not leaving:
        return
    entries = graph.entering_edges()
    heads = {block.offset: block.instrs[0] for block in graph.blocks if block.instrs}
    for block in leaving:
        _split_off_exit(graph, block, entries[block], heads)


def _drops_something(block: Block) -> bool:
    return any(instr.op in DROPS_ITERATOR for instr in block.instrs)


def _split_off_exit(graph: Graph, block: Block, entries: list[Edge], heads: dict[int, Instr]) -> None:
    """Put the exit after a `break` apart, with the `break` if only one way leads to that."""
    for tail in tails(block):
        before, count = block.instrs[: -len(tail)], count_in(tail, block)
        is_more = len(block.statements) > count
        if (is_more and _is_break(block, len(before))) or (
            not is_more and before and _is_break(block, 0) and _all_come_to(before[0], entries, heads)
        ):
            split(graph, block, tail, count)
            return


def _is_break(block: Block, at: int) -> bool:
    """Whether an iterator, and not the value of a statement, is dropped there, on a line between those around it."""
    before, instrs = block.instrs[at - 1 : at], block.instrs[at:]
    count = iterator_dropped(instrs)
    if not count or any(offset_of(statement) == instrs[0].offset for statement in block.statements):
        return False
    return _line(before) < _line(instrs) < _line(instrs[count:])


def _line(instrs: list[Instr]) -> int:
    return (instrs[0].line or 0) if instrs else 0


def _all_come_to(first: Instr, entries: list[Edge], heads: dict[int, Instr]) -> bool:
    """Whether several ways lead to a `break`, whose first instruction this is, each to it or to a copy of it."""
    found = [heads.get(edge.came_to) for edge in entries]
    return len(found) > 1 and all(head is not None and (head.op, head.line) == (first.op, first.line) for head in found)
