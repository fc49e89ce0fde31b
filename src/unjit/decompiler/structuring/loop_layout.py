"""What a block's place in the code, and its lines, tell about a loop: written in it, or after it.

*What the compiler did*: it laid a loop out in one piece, and what follows after it; but what leaves a loop for good is
laid out where it was written, and from 3.12 on what only exceptions lead to stands after everything.
"""

from __future__ import annotations

from unjit.decompiler.ir.as_written.jump_statements import iterator_dropped
from unjit.decompiler.ir.flow.exits import is_empty_end
from unjit.decompiler.ir.flow.graph import Block, Edge, EnterTry, Jump, Leave, NextItem
from unjit.decompiler.ir.flow.loops import Loop, unless_raised

_ENDS_LOOP = frozenset({"END_FOR", "POP_TOP", "POP_ITER"})


def exits_of(loop: Loop) -> set[Block]:
    """Where control comes to when it leaves the loop, and the suites of a try or with in it that do not come back."""
    exits: set[Block] = set()
    seen = set(loop.blocks)
    work = list(loop.blocks)
    around = loop.header.region
    while work:
        for block in work.pop().successors():
            if block in seen:
                continue
            seen.add(block)
            if len(block.region) > len(around) and block.region[: len(around)] == around:
                work.append(block)
            else:
                exits.add(block)
    return exits


def usual_exit(loop: Loop) -> Edge | None:
    """How a for loop goes on when exhausted, a while loop when its test fails."""
    head = loop.header.terminator
    return head.exhausted if isinstance(head, NextItem) else loop.exit_of_test()


def written_within(loop: Loop, block: Block) -> bool:
    """Whether an exit from the function stands in the midst of the loop, on a line of it: no break leads there.

    Or, by a `break` too, at the end of its suite, which does not go back from there: after all that does, before
    what follows.
    """
    line, at = block.last_line, block.stands_at
    leaves = isinstance(block.terminator, Leave)
    if leaves and loop.header.offset < at < loop.last_offset:
        return line is not None and line <= loop.last_line
    usual = usual_exit(loop)
    if usual is None or not loop.header.offset < at < usual.laid_to:
        return False
    if leaves:
        return line is None or line < _line_after(loop, usual.target)
    if not 0 < (line or _line_after(loop, block)) < _line_after(loop, usual.target):
        return False
    onward = block.terminator.edge if isinstance(block.terminator, Jump) else None
    if onward is not None and (onward.laid_to >= usual.laid_to or _is_to_copy(onward)):
        return bool(block.statements)
    return _comes_after(loop, block, usual.laid_to)


def _is_to_copy(edge: Edge) -> bool:
    """Whether it led to a copy of an exit, of which another copy stands for all of them."""
    return isinstance(edge.target.terminator, Leave) and edge.laid_to != edge.target.offset


_LONGEST_END = 32  # blocks of a suite's end that are looked through


def _comes_after(loop: Loop, block: Block, after: int) -> bool:
    """Whether control goes on from a block, and from what it chooses between, until it leaves or is after the loop.

    Or until it goes on with a loop around. Loops on the way are taken for run out.
    """
    seen, work = {block}, [block]
    while work and len(seen) <= _LONGEST_END:
        terminator = work.pop().terminator
        edges = [terminator.exhausted] if isinstance(terminator, NextItem) else terminator.edges()
        first = loop.header.offset
        new = {e.target for e in edges if first <= e.target.stands_at < after and not _is_to_copy(e)} - seen
        new = {target for target in new if target.instrs or not isinstance(target.terminator, Leave)}  # a re-raise
        if any(target.stands_at < block.offset for target in new):
            return False
        seen |= new
        work += (target for target in new if not isinstance(target.terminator, Leave))
    return not work


def written_before_exhausted(loop: Loop, block: Block) -> bool:
    """Whether what a block does stands before the line that control comes to when the loop is exhausted.

    The implicit `return None` has the line of the loop, and a loop or `with` around it stands above: then nothing is
    after it but what a `break` leads to.
    """
    if is_empty_end(block):
        return False
    usual, line = usual_exit(loop), block.stands_on or _line_after(loop, block)
    if usual is None or not line:
        return True
    return line <= loop.last_line if nothing_after(loop, usual) else line < _line_after(loop, usual.target)


def nothing_after(loop: Loop, usual: Edge) -> bool:
    """Whether what follows the loop has the line of its head, or one above: no statement is there."""
    return 0 < _line_after(loop, usual.target) <= (loop.header.last_line or 0)


def _line_after(loop: Loop, block: Block) -> int:
    """The line of the first statement from a block on, where that is clear; else 0. Not that of the loop's own end.

    Nor that of a `break`, where the copy of the exit that was after it stands for the one after the loop.
    """
    passed: set[Block] = set()
    own, usual = loop.header.last_line, usual_exit(loop)
    is_copy = usual is not None and block is usual.target and usual.laid_to != block.offset
    dropping = iterator_dropped(block.instrs) if is_copy else 0
    while block not in passed:
        passed.add(block)
        lines = (i.line for i in block.instrs[dropping:] if not (i.op in _ENDS_LOOP and i.line == own))
        dropping = 0
        line = next((line for line in lines if line is not None), None)
        if line is not None:
            return line
        if isinstance(block.terminator, Jump | EnterTry):  # what follows, or what is protected
            block = block.successors()[0]
    return 0


def without_exceptions(entry: Block) -> set[Block]:
    """The blocks that control comes to if nothing raises."""
    seen, work = {entry}, [entry]
    while work:
        for target in unless_raised(work.pop()):
            if target not in seen:
                seen.add(target)
                work.append(target)
    return seen
