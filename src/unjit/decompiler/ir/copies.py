"""Copies of an exit, as the compiler makes them: how long they may be, and by what they are known."""

from __future__ import annotations

from itertools import dropwhile

from unjit.bytecode import Instr
from unjit.bytecode import versions as v

LONGEST_COPY = 4  # instructions of an exit that the compiler copies, of all versions
# No part of a copy: they end what comes before it.
NOTHING = frozenset({"NOP", "POP_TOP", "SWAP", "END_FOR", "END_SEND", "POP_ITER", "RESUME"})


def shape(instrs: list[Instr]) -> tuple[tuple[str, object, int | None], ...]:
    """What the instructions do and on which lines: equal for copies of one exit."""
    return tuple((i.op.removesuffix("_CHECK"), repr(i.value), i.line) for i in instrs if i.op not in NOTHING)


def length(instrs: list[Instr]) -> int:
    """How many instructions an exit had when the compiler decided whether to copy it: two for a superinstruction."""
    started = list(dropwhile(lambda instr: instr.op in NOTHING, instrs))
    return sum(2 if instr.op in v.SUPERINSTRUCTIONS else instr.op != "NOP" for instr in started)
