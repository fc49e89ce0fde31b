"""Comprehensions that the compiler inlined (PEP 709, 3.12 and later).

*The shape*: LOAD_FAST_AND_CLEAR for each variable of the comprehension; then an empty display is made below the
iterator (from 3.15 on below what is iterated over), FOR_ITER loops, and END_FOR ends it; then the variables are stored
back. The part from the display to the end of the loop is contiguous, takes the iterator from the stack and leaves the
display: one operation.
"""

from __future__ import annotations

from dataclasses import replace

from unjit.bytecode import Instr
from unjit.bytecode import versions as v

_HEAD = ("SWAP", "GET_ITER", "FOR_ITER") if v.PY315 else ("SWAP", "FOR_ITER")
_DISPLAYS = frozenset({"BUILD_LIST", "BUILD_SET", "BUILD_MAP"})


def find_inlined(instrs: tuple[Instr, ...]) -> dict[int, int]:
    """Index of the instruction that makes the display -> index behind the loop, outermost comprehensions only."""
    found: dict[int, int] = {}
    index, borrowed = 0, False
    while index < len(instrs):
        instr = instrs[index]
        if instr.op == "LOAD_FAST_AND_CLEAR":
            borrowed = True
        end = _end_of_loop(instrs, index) if borrowed else None
        if end is not None:
            found[index] = end
            index, borrowed = end, False
        else:
            index += 1
    return found


def _end_of_loop(instrs: tuple[Instr, ...], index: int) -> int | None:
    """Behind the loop that fills the display made at `index`, if one does."""
    if instrs[index].op not in _DISPLAYS or instrs[index].arg != 0:
        return None
    ops = tuple(i.op for i in instrs[index + 1 : index + 1 + len(_HEAD)])
    if ops != _HEAD or instrs[index + 1].arg != 2:
        return None
    target = instrs[index + len(_HEAD)].target
    if target is None or instrs[target].op != "END_FOR":
        return None
    return target + (2 if v.PY313 else 1)


def fragment(instrs: tuple[Instr, ...], start: int, end: int) -> tuple[Instr, ...]:
    """The instructions from `start` to `end` as code of its own, which returns what they leave on the stack."""
    inside = [
        replace(i, handler=None, target=None if i.target is None else i.target - start) for i in instrs[start:end]
    ]
    last = replace(inside[-1], op="RETURN_VALUE", arg=0, value=None, target=None)
    return (*inside, last)
