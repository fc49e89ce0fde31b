"""Which instructions control can reach."""

from __future__ import annotations

from unjit.bytecode import versions as v
from unjit.bytecode.decode import Instr


def reachable(instrs: tuple[Instr, ...]) -> list[Instr]:
    """The instructions that some path from the first one reaches, handlers included, in their order."""
    seen = [False] * len(instrs)
    work = [0]
    while work:
        index = work.pop()
        if index >= len(instrs) or seen[index]:
            continue
        seen[index] = True
        instr = instrs[index]
        if instr.op not in v.TERMINATORS and instr.op not in v.UNCONDITIONAL_JUMPS:
            work.append(index + 1)
        if instr.target is not None:
            work.append(instr.target)
        if instr.handler is not None:
            work.append(instr.handler.target)
    return [instr for instr, reached in zip(instrs, seen, strict=True) if reached]
