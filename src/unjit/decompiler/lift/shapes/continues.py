"""Which jumps back to a loop were written: `continue` has a line of its own, the end of the loop's suite has none.

At the end of a handler the jump stands after what leaves that, which then has the line of the `continue` as well.
"""

from __future__ import annotations

import ast

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.bytecode.instructions.positions import Positions
from unjit.decompiler.ir.as_written.jump_words import going_on
from unjit.decompiler.lift.extents import Extents

_UNBINDS = frozenset({"POP_BLOCK", "LOAD_CONST", "STORE_FAST", "DELETE_FAST", "STORE_NAME", "DELETE_NAME"})  # `as`
_LEAVES_HANDLER = _UNBINDS | {"POP_EXCEPT", "NOP"}
_FINDS_CLAUSE = frozenset({"JUMP_IF_NOT_EXC_MATCH", "CHECK_EXC_MATCH", "PUSH_EXC_INFO"})
_LONGEST_HEAD = 7  # instructions, from the test for the exception's type on
_ASKS_ITERATOR = frozenset({"FOR_ITER", "GET_ANEXT"})


def line_of_continue(block: list[Instr], last: int, extents: Extents, positions: Positions) -> int | None:
    """The line of the `continue` that ends a block, if it ends in one; `last` is the block's last instruction."""
    instrs = extents.instrs
    jump = _after_handler(last, instrs) if instrs[last].op == "POP_EXCEPT" else instrs[last]
    if jump.op not in v.UNCONDITIONAL_JUMPS or jump.target is None or jump.line is None:
        return None
    if instrs[jump.target].offset > jump.offset:
        return None
    end = _end_of_handler(jump, last, instrs)
    if end is not None:
        return jump.line if _is_written(jump, end, extents, positions) else None
    done = [instr.line for instr in block[:-1] if instr.op != "NOP" and instr.line is not None]
    return jump.line if done and done[-1] < jump.line else None


def _after_handler(last: int, instrs: tuple[Instr, ...]) -> Instr:
    """What is done where a handler has been left and the name of its exception was unbound."""
    k = last + 1
    while instrs[k].op in _UNBINDS and instrs[k].line == instrs[last].line:
        k += 1
    return instrs[k]


def _end_of_handler(jump: Instr, last: int, instrs: tuple[Instr, ...]) -> int | None:
    """Where a handler is left on the line of the jump, right before it."""
    k = last
    while k and instrs[k].line == jump.line and (instrs[k] is jump or instrs[k].op in _LEAVES_HANDLER):
        k -= 1
    return k + 1 if any(instr.op == "POP_EXCEPT" for instr in instrs[k + 1 : last + 1]) else None


def _is_written(jump: Instr, end: int, extents: Extents, positions: Positions) -> bool:
    """Whether a jump that leaves a handler, from the instruction `end` on, is a statement and goes to a loop around."""
    line = _line_before(end, extents)
    if line is None or jump.line is None or line >= jump.line or not _goes_before_the_try(jump, end, extents):
        return False
    if not (_begins_clause(end, extents.instrs) and _may_end_the_suite(jump, extents.instrs)):
        return True
    return isinstance(going_on(jump.line, positions), ast.Continue)


def _line_before(end: int, extents: Extents) -> int | None:
    """The line of what is done before: of the test, where it stands after a handler that lies between the two."""
    while end and extents.instrs[end - 1].line is None and extents.instrs[end - 1].op == "NOP":  # NOT_TAKEN (3.14)
        end -= 1
    before = extents.instrs[end - 1] if end else None
    if before is not None and before.op == "RERAISE" and end in extents.first_jump_to:
        return extents.instrs[extents.first_jump_to[end]].line
    return None if before is None else before.line


def _goes_before_the_try(jump: Instr, end: int, extents: Extents) -> bool:
    """From 3.12 on all handlers stand after the rest, so that what follows the statement stands before them too."""
    assert jump.target is not None
    if not v.PY312:
        return True
    left = _last_left(end, extents)
    return left is not None and jump.target <= extents.first_protected.get(left, -1)


def _last_left(end: int, extents: Extents) -> int | None:
    """Where the last of the handlers begins that are left from the instruction `end` on."""
    instrs, around = extents.instrs, extents.handler_around
    left: int | None = end
    while instrs[end].op in _LEAVES_HANDLER and left is not None:
        left = around[left - 1] if instrs[end].op == "POP_EXCEPT" else left
        end += 1
    return left


def _begins_clause(end: int, instrs: tuple[Instr, ...]) -> bool:
    """Whether the instruction `end` is the first of what a clause does: what is on the line before finds the clause."""
    begin = end
    while begin > end - _LONGEST_HEAD and begin and instrs[begin - 1].line in (None, instrs[end - 1].line):
        begin -= 1
    found = [instr.op for instr in instrs[max(begin - 1, 0) : end]]
    return found[-3:] == ["POP_TOP"] * 3 or not _FINDS_CLAUSE.isdisjoint(found)


def _may_end_the_suite(jump: Instr, instrs: tuple[Instr, ...]) -> bool:
    """Whether a clause of `pass` goes back to the loop by the same jump, since the end of the suite has no line."""
    assert jump.target is not None
    return v.PY314 or any(instr.op in _ASKS_ITERATOR for instr in instrs[jump.target : jump.target + 2])
