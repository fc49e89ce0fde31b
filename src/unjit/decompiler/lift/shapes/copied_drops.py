"""A choice that stands alone in its line, without the copy of what follows it.

*What the compiler did*: after `a and a.close()` stands the drop of what it came to; it has no line, and where the code
ends right after it, by an exit or a jump back, its last operand got a copy of all that. *What we produce*: a jump from
there to the original, where the ways meet again. *What we refuse*: copies in which anything differs, lines and handlers
too, and ones that a jump enters in their midst.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace

from unjit.bytecode import Instr
from unjit.bytecode import versions as v

_KEEPING = frozenset({"JUMP_IF_FALSE_OR_POP", "JUMP_IF_TRUE_OR_POP"})  # up to 3.11
_ASKING = frozenset({"POP_JUMP_IF_FALSE", "POP_JUMP_IF_TRUE"})  # from 3.12 on, after a COPY
_EXCHANGES = frozenset({"SWAP", "ROT_TWO"})


def may_be_copied(operations: AbstractSet[str]) -> bool:
    """Whether there may be such copies where nothing but these operations is."""
    return not operations.isdisjoint(_ASKING if v.PY312 else _KEEPING)


def without_copied_drops(instrs: tuple[Instr, ...]) -> tuple[Instr, ...]:
    """The same instructions, with a jump in place of the first of each copy."""
    starts: dict[int, int] = {}
    tests = {instrs[index].target: index for index in _keeping(instrs)}  # the last of a chain that leads to one place
    for target, index in tests.items():
        if target is not None and target > index + 1 and instrs[target - 1].op in v.NO_FALLTHROUGH:
            drop = _drop_at(instrs, target)
            start = None if drop is None else _copy_before(instrs, target, drop)
            if drop is not None and start is not None and start > index:
                starts[start] = drop
    if not starts:
        return instrs
    entered = {instr.target for instr in instrs}
    changed = list(instrs)
    for start, drop in starts.items():
        if entered.isdisjoint(range(start + 1, start + _length(instrs, start))):
            changed[start] = replace(instrs[start], op="JUMP_FORWARD", target=drop)
    return tuple(changed)


def _keeping(instrs: tuple[Instr, ...]) -> list[int]:
    """The tests that jump with the value that they asked."""
    if not v.PY312:
        return [k for k, instr in enumerate(instrs) if instr.op in _KEEPING]
    copies = [k for k, instr in enumerate(instrs[:-2]) if instr.op == "COPY" and instr.arg == 1]
    tests = [k + 2 if instrs[k + 1].op == "TO_BOOL" else k + 1 for k in copies]
    return [k for k in tests if instrs[k].op in _ASKING]


def _drop_at(instrs: tuple[Instr, ...], target: int) -> int | None:
    """Where the value is dropped: at once, or after what a chained comparison that fails left below it."""
    first = [instr.op for instr in instrs[target : target + 3]]
    if first[1:] == ["POP_TOP", "POP_TOP"] and first[0] in _EXCHANGES:
        return target + 2
    return target if first[0] == "POP_TOP" else None


def _copy_before(instrs: tuple[Instr, ...], target: int, drop: int) -> int | None:
    """Where the copy begins that ends right before `target`, or the jump to one that stands elsewhere.

    The original may fall through to where the copy jumps.
    """
    after, whole = instrs[target - 1].target, _length(instrs, drop)
    if target > whole and _are_alike(instrs, target - whole, drop, whole):
        return target - whole
    if after is None or after <= drop:
        return None
    if _are_alike(instrs, after, drop, whole):
        return target - 1
    part = after - drop
    return target - 1 - part if target > part and _are_alike(instrs, target - 1 - part, drop, part) else None


def _length(instrs: tuple[Instr, ...], start: int) -> int:
    """How many instructions there are from `start` up to where control goes elsewhere."""
    last = len(instrs) - 1  # code made by hand may end without an exit
    return next((k for k in range(start, last) if instrs[k].op in v.NO_FALLTHROUGH), last) + 1 - start


def _are_alike(instrs: tuple[Instr, ...], one: int, other: int, length: int) -> bool:
    if max(one, other) + length > len(instrs):
        return False
    return all(_are_copies(instrs[one + k], instrs[other + k]) for k in range(length))


def _are_copies(one: Instr, other: Instr) -> bool:
    if (one.op, one.target, one.line, one.handler) != (other.op, other.target, other.line, other.handler):
        return False
    return one.target is not None or one.arg == other.arg
