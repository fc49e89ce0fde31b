"""CPython 3.10 keeps handlers on a block stack at run time; this finds them for each instruction.

An abstract walk over (stack depth, block stack), the same for every path by the compiler's own rule. Each protected
instruction gets the handler that 3.11's exception table would give it, with `depth` the stack depth to cut to.
"""

from __future__ import annotations

import dis
from typing import TYPE_CHECKING

from unjit.bytecode import versions as v
from unjit.bytecode.errors import BytecodeError

if TYPE_CHECKING:
    from unjit.bytecode.instructions.decode import Handler, Instr

SETUPS = frozenset({"SETUP_FINALLY", "SETUP_WITH", "SETUP_ASYNC_WITH"})
# What an exception pushes: (traceback, value, type) of the one handled so far, then of itself.
PUSHED_AT_HANDLER = 6

_State = tuple[int, tuple["Handler | None", ...]]


def handlers_of_block_stack(instrs: tuple[Instr, ...]) -> list[Handler | None]:
    """The innermost handler of each instruction; None where unprotected or dead."""
    states: list[_State | None] = [None] * len(instrs)
    sent = sum(i.op == "GEN_START" for i in instrs[:1])  # a generator starts with what was sent into it on its stack
    work: list[tuple[int, _State]] = [(0, (sent, ()))]
    while work:
        index, state = work.pop()
        if index >= len(instrs):
            raise BytecodeError("control runs past the end of the code")
        if states[index] is not None:
            continue
        states[index] = state
        work += _successors(index, instrs[index], state)
    return [_innermost(state) for state in states]


def _innermost(state: _State | None) -> Handler | None:
    if state is None:
        return None
    return next((block for block in reversed(state[1]) if block is not None), None)


def _successors(index: int, instr: Instr, state: _State) -> list[tuple[int, _State]]:
    from unjit.bytecode.instructions.decode import Handler

    depth, blocks = state
    op = instr.op
    if op in v.TERMINATORS:
        return []
    if op in SETUPS:
        assert instr.target is not None
        # SETUP_WITH replaces the manager by its exit function, then pushes the result of entering above the block.
        level = depth if op == "SETUP_FINALLY" else depth - (op == "SETUP_ASYNC_WITH")
        handler = Handler(instr.target, level, lasti=False)
        at_handler = (level + PUSHED_AT_HANDLER, (*blocks, None))
        above = level if op == "SETUP_FINALLY" else level + 1
        return [(index + 1, (above, (*blocks, handler))), (instr.target, at_handler)]
    if op in ("POP_BLOCK", "POP_EXCEPT", "END_ASYNC_FOR"):  # the last leaves the handler that it begins
        blocks = blocks[:-1]
    arg = instr.arg if v.OPCODES[op] >= v.HAVE_ARGUMENT else None
    following = []
    if op not in v.UNCONDITIONAL_JUMPS:
        after = depth + dis.stack_effect(v.OPCODES[op], arg, jump=False)
        following.append((index + 1, (after, blocks)))
    if instr.target is not None:
        there = depth + dis.stack_effect(v.OPCODES[op], arg, jump=True)
        following.append((instr.target, (there, blocks)))
    return following
