"""How much is on the stack along instructions, counted from one of them on."""

from __future__ import annotations

import dis
from collections.abc import Callable

from unjit.bytecode import Instr
from unjit.bytecode import versions as v

_ANNOUNCE_CALLS = frozenset({"PRECALL", "KW_NAMES"})  # dis counts a part of a call's effect here


def first_where(instrs: tuple[Instr, ...], start: int, is_end: Callable[[Instr, int], bool]) -> int:
    """The index of the first instruction that is an end at the depth there; 0 if there is none.

    What is put on the stack may be chosen, or gathered by a loop: then all ways have to come to the one end.
    """
    depths, farthest = {start: 0}, start
    for k in range(start, len(instrs)):
        if k not in depths:
            continue
        if is_end(instrs[k], depths[k]):
            return 0 if farthest > k else k
        for onward, there in _ways_on(instrs[k], k, depths[k]):
            known = depths.get(onward) if onward <= k else depths.setdefault(onward, there)
            if there < 0 or known != there:
                return 0
            farthest = max(farthest, onward)
    return 0


def _ways_on(instr: Instr, k: int, depth: int) -> list[tuple[int, int]]:
    """The indices of the instructions that may come after that at `k`, and how much is on the stack there."""
    ways = [] if instr.op in v.UNCONDITIONAL_JUMPS else [(k + 1, depth + _effect(instr, jump=False))]
    return ways if instr.target is None else [*ways, (instr.target, depth + _effect(instr, jump=True))]


def _effect(instr: Instr, *, jump: bool) -> int:
    """What the instruction adds to the stack; of a call that is announced, all is counted where it happens."""
    if instr.op in _ANNOUNCE_CALLS:
        return 0
    if instr.op == "CALL":
        return -1 - instr.arg
    opcode = v.OPCODES[instr.op]
    return dis.stack_effect(opcode, instr.arg if opcode >= v.HAVE_ARGUMENT else None, jump=jump)
