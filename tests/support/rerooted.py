"""Existing functions entered at one of their instructions, with the values that are on the stack there as arguments."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from itertools import pairwise
from types import CodeType

from foreign import prefixed, start_of
from unjit.bytecode import versions as v
from unjit.decompiler import decompile

# These trust the type of what lies on the stack: functions that have one are entered where nothing does.
TRUSTING = frozenset(
    [
        "LIST_APPEND",
        "LIST_EXTEND",
        "LIST_TO_TUPLE",
        "SET_ADD",
        "SET_UPDATE",
        "MAP_ADD",
        "DICT_UPDATE",
        "DICT_MERGE",
        "SEND",
        "YIELD_FROM",
        "GET_AWAITABLE",
        "BUILD_STRING",
        "MAKE_FUNCTION",
        "CALL_FUNCTION_EX",
        "KW_NAMES",
        "GET_YIELD_FROM_ITER",
        "BUILD_TEMPLATE",
        "BUILD_INTERPOLATION",
    ],
)
NO_ENTRY = frozenset({"RESUME", "PRECALL", "CALL", "CACHE"})
if v.PY313:  # from then on these trust that True or False is on the stack
    NO_ENTRY |= {"POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE", "UNARY_NOT"}
REFUSED = 0x2A0 | 0xC  # generators and the like; *args, **kwargs
STACKED = "stacked_"
MOST_LOCALS = 16  # what one half of a fused instruction can name


def rerooted(code: CodeType) -> Iterator[tuple[int, CodeType]]:
    """The code entered at every offset where that can be done, with the offset."""
    instrs = list(dis.get_instructions(code))
    if code.co_flags & REFUSED or code.co_freevars:
        return
    trusts = not TRUSTING.isdisjoint(instr.opname for instr in instrs)
    answer = decompile(code)
    comparing = {i.offset for k, at in enumerate(instrs) if at.opname == "GET_LEN" for i in instrs[k + 1 : k + 3]}
    for before, instr in pairwise(instrs):
        if before.opname == "EXTENDED_ARG" or instr.offset <= start_of(code) or instr.opname in NO_ENTRY:
            continue
        if v.PY313 and instr.offset in comparing:  # what comparing a length gives is trusted to be True or False
            continue
        try:
            stack = answer.stack_at(instr.offset)
        except KeyError:
            continue
        if any(slot.startswith("<exception") for slot in stack) or instr.opname.startswith("END_"):
            continue
        if code.co_nlocals + len(stack) < MOST_LOCALS and not (stack and trusts):
            yield instr.offset, entered(code, instr.offset, stack)


def entered(code: CodeType, offset: int, stack: tuple[str, ...]) -> CodeType:
    """The code with one more argument for each value of the stack, which puts them there and jumps to the offset.

    From 3.12 on, where loads trust what the compiler knew to be bound, its locals are arguments as well, as those of
    Dynamo's resume functions are: the interpreter crashes at one that is not bound.
    """
    taken = code.co_nlocals if v.PY312 else code.co_argcount
    values = [k for k, slot in enumerate(stack) if slot != "NULL"]
    made = code.replace(
        co_argcount=taken + len(values),
        co_kwonlyargcount=0 if v.PY312 else code.co_kwonlyargcount,
        co_varnames=(*code.co_varnames[:taken], *(f"{STACKED}{k}" for k in values), *code.co_varnames[taken:]),
        co_nlocals=code.co_nlocals + len(values),
        co_code=_locals_moved(code, taken, len(values)),
    )
    prologue = [
        ("PUSH_NULL", 0) if slot == "NULL" else ("LOAD_FAST", taken + values.index(k)) for k, slot in enumerate(stack)
    ]
    return prefixed(made, *prologue, at=offset)


def _locals_moved(code: CodeType, taken: int, by: int) -> bytes:
    """The bytes with every local after the first `taken` moved."""
    data = bytearray(code.co_code)
    for instr in dis.get_instructions(code):
        if instr.opname in v.SUPERINSTRUCTIONS:
            high, low = instr.arg >> 4, instr.arg & 15
            data[instr.offset + 1] = _moved(high, taken, by) << 4 | _moved(low, taken, by)
        elif instr.opcode in dis.haslocal or instr.opcode in dis.hasfree:
            data[instr.offset + 1] = _moved(instr.arg, taken, by)
    assert code.co_nlocals + by < MOST_LOCALS
    return bytes(data)


def _moved(local: int, taken: int, by: int) -> int:
    return local + by if local >= taken else local
