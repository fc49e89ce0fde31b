"""Branches without what the interpreter counts them by (3.14 and later).

NOT_TAKEN stands where a test falls through, and has its line: what was written begins after it. It may be in a
protected range of which neither the test nor what follows is, as it is after a test that begins a finally suite.
"""

from __future__ import annotations

from dataclasses import replace

from unjit.bytecode import Instr
from unjit.bytecode import versions as v


def without_branch_counts(instrs: tuple[Instr, ...]) -> tuple[Instr, ...]:
    """The same instructions, with a NOP without a line in each such place."""
    if not v.PY314:
        return instrs
    return tuple(_nothing(instrs, k) if instr.op == "NOT_TAKEN" else instr for k, instr in enumerate(instrs))


def _nothing(instrs: tuple[Instr, ...], at: int) -> Instr:
    """A NOP for the instruction at this index, protected as those on both sides of it."""
    before, count, after = instrs[max(at - 1, 0)], instrs[at], instrs[min(at + 1, len(instrs) - 1)]
    handler = before.handler if before.handler == after.handler else count.handler
    return replace(count, op="NOP", line=None, handler=handler)
