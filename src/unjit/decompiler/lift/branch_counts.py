"""Branches without what the interpreter counts them by (3.14 and later).

NOT_TAKEN stands where a test falls through, and has its line: what was written begins behind it.
"""

from __future__ import annotations

from dataclasses import replace

from unjit.bytecode import Instr
from unjit.bytecode import versions as v


def without_branch_counts(instrs: tuple[Instr, ...]) -> tuple[Instr, ...]:
    """The same instructions, with a NOP without a line in each such place."""
    if not v.PY314:
        return instrs
    return tuple(replace(i, op="NOP", line=None) if i.op == "NOT_TAKEN" else i for i in instrs)
