"""Helper calls turned back into the instruction that each stands for.

The call's instructions are overwritten in place, by the instruction itself and NOPs, so no jump and no table entry
moves. See `helpers` for which call stands for what.
"""

from __future__ import annotations

import dis
from types import CodeType

from unjit.bytecode import Instr, decode
from unjit.bytecode import versions as v
from unjit.bytecode.overwrite import NOTHING, overwritten
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.helpers import CELL, HELPERS, ITERATOR, OPERATIONS

_CALLS = frozenset({"CALL", "CALL_FUNCTION"})
_ANNOUNCE_CALLS = frozenset({"PRECALL", "KW_NAMES"})  # dis counts a call's effect partly as PRECALL's
# From 3.13 on the cell is loaded like any local.
_LOADS_CELL = frozenset({"LOAD_FAST"}) if v.PY313 else frozenset({"LOAD_CLOSURE"})


def without_helper_calls(code: CodeType) -> CodeType:
    """The code with every helper call replaced, nested code included. Raises CannotExpress for one that fits none."""
    consts = tuple(without_helper_calls(c) if isinstance(c, CodeType) else c for c in code.co_consts)
    code = code.replace(co_consts=consts)
    if not set(code.co_names) & set(HELPERS):
        return code
    instrs = decode(code)
    new: dict[int, tuple[str, int]] = {}
    for index, instr in enumerate(instrs):
        if instr.op == "LOAD_GLOBAL" and instr.value in HELPERS:
            _replace(new, instrs, index)
    return overwritten(code, new)


def _replace(new: dict[int, tuple[str, int]], instrs: tuple[Instr, ...], index: int) -> None:
    name = str(instrs[index].value)
    call = _call_of(instrs, index)
    if name == CELL:
        for k in _all_but_cell(instrs, index, call):
            new[instrs[k].offset] = NOTHING
        return
    new[instrs[index].offset] = NOTHING
    if instrs[call - 1].op == "PRECALL":
        new[instrs[call - 1].offset] = NOTHING
    if name == ITERATOR:
        if instrs[call + 1].op != "GET_ITER":
            raise CannotExpress(f"{ITERATOR} is called outside a for loop's head")
        new[instrs[call].offset] = NOTHING
        new[instrs[call + 1].offset] = NOTHING
    else:
        operation, arg, operands = OPERATIONS[name]
        if instrs[call].arg != operands:
            raise CannotExpress(f"{name} takes {operands} operands, not {instrs[call].arg}")
        new[instrs[call].offset] = (operation, arg)


def _call_of(instrs: tuple[Instr, ...], index: int) -> int:
    """The index of the call that takes the function loaded at `index`: where the stack is back to its arguments."""
    depth = 0
    for k in range(index + 1, len(instrs)):
        instr = instrs[k]
        if instr.op in _CALLS and instr.arg == depth:
            return k
        if instr.op in _ANNOUNCE_CALLS:
            continue
        opcode = v.OPCODES[instr.op]
        depth += dis.stack_effect(opcode, instr.arg if opcode >= v.HAVE_ARGUMENT else None, jump=False)
        if instr.target is not None or depth < 0:
            break
    raise CannotExpress(f"{instrs[index].value} is used for something else than a plain call")


def _all_but_cell(instrs: tuple[Instr, ...], index: int, call: int) -> list[int]:
    """All of `cell_of(lambda: x)` but the load of the cell."""
    kept = [k for k in range(index + 1, call) if instrs[k].op in _LOADS_CELL]
    if len(kept) != 1:
        raise CannotExpress(f"{CELL} is called with something else than a variable of this function")
    return [k for k in range(index, call + 1) if k not in kept]
