"""The calls in source that stand for one instruction, turned back into it.

Two things that Dynamo's bytecode does have no syntax: naming a cell (rather than its contents), and looping over an
iterator without asking it for its iterator first. Source says `cell_of(lambda: x)` and `for y in iterate(it)`; here
the call's instructions are overwritten by NOPs in place, so no jump and no table entry moves.

As plain Python the helpers exist in `unjit.helpers`, with the same meaning.
"""

from __future__ import annotations

from types import CodeType

from unjit.bytecode import Instr, decode
from unjit.bytecode import versions as v
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.render.names import CELL_HELPER, HELPERS, ITERATOR_HELPER

_FILLER = frozenset({"PUSH_NULL", "PRECALL", "NOP"})


def without_helper_calls(code: CodeType) -> CodeType:
    """The code with every helper call overwritten, nested code included. Raises CannotExpress for any left."""
    consts = tuple(without_helper_calls(c) if isinstance(c, CodeType) else c for c in code.co_consts)
    code = code.replace(co_consts=consts)
    if not set(code.co_names) & set(HELPERS):
        return code
    instrs = decode(code)
    gone: list[int] = []
    for index, instr in enumerate(instrs):
        if instr.op == "LOAD_GLOBAL" and instr.value == CELL_HELPER:
            gone += _cell_call(instrs, index)
        elif instr.op == "LOAD_GLOBAL" and instr.value == ITERATOR_HELPER:
            gone += _iterator_call(instrs, index)
    return code.replace(co_code=_overwritten(code.co_code, [instrs[k].offset for k in gone]))


def _cell_call(instrs: tuple[Instr, ...], index: int) -> list[int]:
    """All of `cell_of(lambda: x)` but LOAD_CLOSURE x."""
    gone, kept, k = [], 0, index
    while not _is_call(instrs[k].op):
        if instrs[k].op in _LOADS_CELL and k > index:
            kept += 1
        else:
            gone.append(k)
        k += 1
    if kept != 1:
        raise CannotExpress(f"{CELL_HELPER} is called with something else than a variable of this function")
    return [*gone, k]


def _iterator_call(instrs: tuple[Instr, ...], index: int) -> list[int]:
    """The load and the call of `iterate(x)`, and the GET_ITER behind it."""
    k = index + 1
    while k < len(instrs) and instrs[k].op != "GET_ITER":
        k += 1
    call = max((j for j in range(index, k) if _is_call(instrs[j].op)), default=None)
    if call is None or k >= len(instrs):
        raise CannotExpress(f"{ITERATOR_HELPER} is called outside a for loop's head")
    fillers = [j for j in range(index + 1, k) if instrs[j].op in _FILLER and j in (index + 1, call - 1)]
    return [index, *fillers, call, k]


def _is_call(op: str) -> bool:
    return op in ("CALL", "CALL_FUNCTION")


_LOADS_CELL = frozenset({"LOAD_CLOSURE"}) | (frozenset({"LOAD_FAST"}) if v.PY313 else frozenset())


def _overwritten(co_code: bytes, offsets: list[int]) -> bytes:
    """NOPs in place of the instructions at `offsets`, their prefixes and caches."""
    new = bytearray(co_code)
    nop = v.OPCODES["NOP"]
    for offset in offsets:
        units = 1 + v.CACHES.get(v.OPNAMES[co_code[offset]], 0)
        start = offset
        while start >= 2 and co_code[start - 2] == v.EXTENDED_ARG:
            start -= 2
        for at in range(start, offset + 2 * units, 2):
            new[at : at + 2] = bytes((nop, 0))
    return bytes(new)
