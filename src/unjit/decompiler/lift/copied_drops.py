"""A choice that stands alone in its line, without the copy of what is behind it.

*What the compiler did*: behind `a and a.close()` stands the drop of what it came to; it has no line, and where the code
ends right behind it, by an exit or a jump back, its last operand got a copy of all that. *What we produce*: a jump from
there to the original, where the ways meet again. *What we refuse*: copies that do not stand right in front of what the
test jumps to, and ones that somebody enters in their midst.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unjit.bytecode import Instr
from unjit.bytecode import versions as v

_ENDS = v.TERMINATORS | v.UNCONDITIONAL_JUMPS
_EXCHANGES = frozenset({"SWAP", "ROT_TWO"})


def without_copied_drops(instrs: tuple[Instr, ...]) -> tuple[Instr, ...]:
    """The same instructions, with a jump in place of the first of each copy."""
    starts: dict[int, int] = {}
    for index, instr in enumerate(instrs):
        target = instr.target
        if target is not None and target > index + 1 and instrs[target - 1].op in _ENDS and _keeps(instrs, index):
            drop = _drop_at(instrs, target)
            start = target if drop is None else target - _length(instrs, drop)
            if drop is not None and index < start < target and _are_alike(instrs, start, drop, target - start):
                starts[start] = drop
    entered = {instr.target for instr in instrs} if starts else set()
    changed = list(instrs)
    for start, drop in starts.items():
        if entered.isdisjoint(range(start + 1, start + _length(instrs, start))):
            changed[start] = replace(instrs[start], op="JUMP_FORWARD", target=drop)
    return tuple(changed) if starts else instrs


def _keeps(instrs: Sequence[Instr], index: int) -> bool:
    """Whether a test jumps with the value that it asked."""
    if not v.PY312:
        return instrs[index].op.endswith("OR_POP")
    if not instrs[index].op.startswith("POP_JUMP"):
        return False
    asked = instrs[index - 2 if instrs[index - 1].op == "TO_BOOL" else index - 1]
    return asked.op == "COPY" and asked.arg == 1


def _drop_at(instrs: Sequence[Instr], target: int) -> int | None:
    """Where the value is dropped: at once, or behind what a chained comparison that fails left below it."""
    if instrs[target].op in _EXCHANGES and instrs[target + 1].op == "POP_TOP":
        target += 2
    return target if instrs[target].op == "POP_TOP" else None


def _length(instrs: Sequence[Instr], start: int) -> int:
    """How many instructions there are from `start` up to where control goes elsewhere."""
    end = start
    while instrs[end].op not in _ENDS:
        end += 1
    return end + 1 - start


def _are_alike(instrs: Sequence[Instr], one: int, other: int, length: int) -> bool:
    return all(_are_copies(instrs[one + k], instrs[other + k]) for k in range(length))


def _are_copies(one: Instr, other: Instr) -> bool:
    if (one.op, one.target, one.line, one.handler) != (other.op, other.target, other.line, other.handler):
        return False
    return one.target is not None or one.arg == other.arg
