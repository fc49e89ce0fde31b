"""The globals that code names, and code in which some of them are constants instead."""

from __future__ import annotations

from collections.abc import Mapping
from types import CodeType

from unjit.bytecode import versions as v
from unjit.bytecode.errors import BytecodeError
from unjit.bytecode.instructions.remember import decode
from unjit.bytecode.nested import with_nested


def global_names(code: CodeType) -> set[str]:
    """Names that the code, or code nested in it, reads from its globals, or else from the builtins."""
    return {str(instr.value) for one in with_nested(code) for instr in decode(one) if instr.op in v.GLOBAL_LOADS}


def with_constants_for(code: CodeType, values: Mapping[str, object]) -> CodeType:
    """The code with every read of a global in `values` replaced, in place, by the object as a constant.

    What the code needs then lives and dies with it, and no module gets a new name. Code that reads none of them, nested
    code too, stays the very object that it is. Raises BytecodeError where there is no room: on 3.10, for more than 256
    constants.
    """
    if not any(i.op == "LOAD_GLOBAL" and i.value in values for one in with_nested(code) for i in decode(one)):
        return code
    consts = [with_constants_for(c, values) if isinstance(c, CodeType) else c for c in code.co_consts]
    changed, places = bytearray(code.co_code), dict[str, int]()
    for instr in decode(code):
        name = str(instr.value)
        if instr.op != "LOAD_GLOBAL" or name not in values:
            continue
        if name not in places:
            places[name] = len(consts)
            consts.append(values[name])
        units = _units(places[name], pushes_null=bool(v.PY311 and instr.arg & 1))
        room = 1 + v.CACHES.get("LOAD_GLOBAL", 0)
        if len(units) > room:
            raise BytecodeError(f"{code.co_name} has too many constants to make {name} one of them")
        units += [("NOP", 0)] * (room - len(units))
        for at, (operation, arg) in enumerate(units):
            changed[instr.offset + 2 * at : instr.offset + 2 * at + 2] = bytes((v.OPCODES[operation], arg))
        _without_prefixes(changed, instr.offset)
    return code.replace(co_code=bytes(changed), co_consts=tuple(consts))


def _units(index: int, *, pushes_null: bool) -> list[tuple[str, int]]:
    """The instructions that push the constant, with the NULL that a call wants beside it where the load pushed one."""
    load = [("EXTENDED_ARG", index >> 8)] if index > 255 else []
    load.append(("LOAD_CONST", index & 255))
    if not pushes_null:
        return load
    return [*load, ("PUSH_NULL", 0)] if v.PY313 else [("PUSH_NULL", 0), *load]


def _without_prefixes(changed: bytearray, offset: int) -> None:
    while offset >= 2 and changed[offset - 2] == v.EXTENDED_ARG:
        offset -= 2
        changed[offset : offset + 2] = bytes((v.OPCODES["NOP"], 0))
