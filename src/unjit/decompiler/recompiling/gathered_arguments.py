"""A call with more arguments than the compiler puts on the stack: it gathers them in a list, and calls with a tuple.

`f(a, b, …)` with more than thirty is compiled as `f(*[a, b, …])` is, with a list that grows one by one.
"""

from __future__ import annotations

from dataclasses import dataclass

from unjit.bytecode import Instr
from unjit.bytecode.instructions import intrinsics
from unjit.decompiler.recompiling.stack_depths import first_where


@dataclass(frozen=True)
class Gathered:
    """Such a call: its index, how many arguments it takes, and the indices of all that gathers them."""

    call: int
    count: int
    gathering: tuple[int, ...]


def gathered_call(instrs: tuple[Instr, ...], start: int) -> Gathered | None:
    """The call whose arguments are gathered from `start` on; None where there is none."""
    if instrs[start].op != "BUILD_LIST" or instrs[start].arg:
        return None
    gathering = [start]
    while not _makes_tuple(instrs[gathering[-1] + 1]):
        appending = first_where(instrs, gathering[-1] + 1, _appends)
        if not appending:
            return None
        gathering.append(appending)
    count, made = len(gathering) - 1, gathering[-1] + 1
    gathering.append(made)
    call = made + 1
    if instrs[call].op == "PUSH_NULL":  # in place of keyword arguments, from 3.14 on
        gathering.append(call)
        call += 1
    takes_all = instrs[call].op == "CALL_FUNCTION_EX" and not instrs[call].arg & 1
    return Gathered(call, count, tuple(gathering)) if takes_all else None


def _appends(instr: Instr, depth: int) -> bool:
    """Whether it adds what was put on the stack, and nothing else, to the list below it."""
    return instr.op == "LIST_APPEND" and instr.arg == 1 and depth == 1


def _makes_tuple(instr: Instr) -> bool:
    is_intrinsic = instr.op == "CALL_INTRINSIC_1" and instr.arg == intrinsics.LIST_TO_TUPLE
    return is_intrinsic or instr.op == "LIST_TO_TUPLE"
