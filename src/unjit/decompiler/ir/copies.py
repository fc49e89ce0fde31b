"""What tells copies of an exit and their length: what the instructions do, on which lines."""

from __future__ import annotations

from itertools import dropwhile

from unjit.bytecode import Instr
from unjit.bytecode import versions as v

NOTHING = frozenset(
    {"NOP", "POP_TOP", "SWAP", "END_FOR", "END_SEND", "POP_ITER", "RESUME"}
)  # they end what came before


def shape(instrs: list[Instr]) -> tuple[tuple[str, object, int | None], ...]:
    """What the instructions do and on which lines."""
    return tuple((i.op.removesuffix("_CHECK"), repr(i.value), i.line) for i in instrs if i.op not in NOTHING)


def length(instrs: list[Instr]) -> int:
    """How many instructions an exit had when the compiler asked whether it is short enough to be copied."""
    started = list(dropwhile(lambda instr: instr.op in NOTHING, instrs))
    return sum(2 if instr.op in v.SUPERINSTRUCTIONS else instr.op != "NOP" for instr in started)
