"""A `break` after a copy of a cleanup, as a block of its own (`Block.is_jump_statement`).

*What the compiler did*: it laid the `break` after a `try … finally` out right after the copy of the finally suite, in
one block (3.12 and later) to which each way through the `try` leads, perhaps with a copy of the exit after the loop.
*What we produce*: a block of its own, of which one sees that it never was more. *What we refuse*: what has no line
after that of the copy, which is the end of the statement; and an exit that only one way leads to, which shows the
`break` as it is.
"""

from __future__ import annotations

from unjit.decompiler.ir.as_written.jump_statements import iterator_dropped, leaves_a_loop_first
from unjit.decompiler.ir.flow.graph import Block, Edge, Graph, Jump
from unjit.decompiler.ir.flow.split_block import split_block


def split_off_break(graph: Graph, rest: Block, last_line: int | None, entries: list[Block]) -> None:
    """Give the `break` that `rest` begins with a block of its own, if it begins with one.

    `rest` is what is left of the block in which a copy of the cleanup ended, on `last_line`; `entries` led to the copy.
    """
    if last_line is None or not _begins_with_break(rest, last_line):
        return
    if leaves_a_loop_first(rest) and len(entries) > 1:
        count = iterator_dropped(rest.instrs)
        _move(graph, rest, count)
        _move(graph, rest, 0)
    elif _goes_plainly(rest):
        _move(graph, rest, 0)


def _begins_with_break(rest: Block, last_line: int) -> bool:
    """Whether the first thing left is to drop an iterator, on a line after that of the copy."""
    drops = iterator_dropped(rest.instrs)
    return drops > 0 and not rest.params and not rest.leaves_handler and (rest.first_line or 0) > last_line


def _goes_plainly(rest: Block) -> bool:
    return not rest.statements and isinstance(rest.terminator, Jump) and not rest.terminator.edge.args


def _move(graph: Graph, rest: Block, keep: int) -> None:
    """Put all after the first `keep` instructions, none of which is part of a statement, into a block of its own."""
    apart = split_block(graph, rest, statements=0, instrs=keep)
    rest.terminator = Jump(Edge(apart, place=apart.offset))
