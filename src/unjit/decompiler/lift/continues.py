"""Which jumps back to a loop were written: `continue` has a line of its own, the end of the loop's suite has none."""

from __future__ import annotations

from unjit.bytecode import Instr
from unjit.bytecode import versions as v

_LEAVES = frozenset({"POP_EXCEPT", "NOP"})  # what a `continue` does before it goes


def line_of_continue(block: list[Instr], instrs: tuple[Instr, ...]) -> int | None:
    """The line of the `continue` that ends a block, if it ends in one."""
    jump = block[-1]
    if jump.op not in v.UNCONDITIONAL_JUMPS or jump.target is None or jump.line is None:
        return None
    head = instrs[jump.target]
    if head.offset > jump.offset:
        return None
    done = [instr.line for instr in block[:-1] if instr.op not in _LEAVES and instr.line is not None]
    return jump.line if done and done[-1] < jump.line else None
