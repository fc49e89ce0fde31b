"""Names that the module around a function imports or names, as far as the function's bytecode shows it.

Since 3.11.7 `x.f()` compiles to a plain attribute load, not to a method call, when the module imports `x` at its top
level; since 3.12 `super().f` to a call of `super`, not to one instruction, when the module names `super` there.
Recompiling a function alone must know that to give the same instructions.
"""

from __future__ import annotations

from types import CodeType

from unjit.bytecode import Instr, decode, places_in, with_nested
from unjit.bytecode import versions as v

_LOCALS = frozenset(name for name in v.LOCAL_OPS | v.CELL_OPS if name.startswith("LOAD_"))
_ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD"})


def imported_names(code: CodeType) -> list[str]:
    """Names whose attributes are called without the method form, in the code or what is nested in it.

    Variables of functions too: the compiler asks only what the module does with a name. And `super` where the module
    names it: an import does.
    """
    plain: set[str] = set()
    method: set[str] = set()
    for current in with_nested(code):
        instrs, places = decode(current), places_in(current)
        for index in [k for op in _ATTRIBUTES & places.keys() for k in places[op]]:
            loaded = instrs[index - 1]
            if loaded.op in v.GLOBAL_LOADS or loaded.op in _LOCALS:
                if _is_method_load(instrs[index]):
                    method.add(str(loaded.value))
                elif loaded.op in v.GLOBAL_LOADS or _is_called(instrs, index):
                    plain.add(str(loaded.value))
        if v.PY312 and "super" in current.co_names and _calls_super_by_name(current, instrs):
            plain.add("super")
    return sorted(filter(str.isidentifier, plain - method))


def _is_called(instrs: tuple[Instr, ...], attribute: int) -> bool:
    """Whether the instruction beside that of the attribute of a variable begins a call."""
    beside = attribute + 1 if v.PY313 else attribute - 2
    return 0 <= beside < len(instrs) and instrs[beside].op == "PUSH_NULL"


def _calls_super_by_name(code: CodeType, instrs: tuple[Instr, ...]) -> bool:
    """Whether an attribute of `super()` or `super(x, y)` is read from what a call gave, though one could do both."""
    for k, first in enumerate(instrs):
        if first.op == "LOAD_GLOBAL" and first.value == "super":
            for arguments in (0, 2) if _has_plain_self(code) else (2,):
                following = instrs[k + 1 + arguments : k + 3 + arguments]
                if following and following[0].op == "CALL" and following[0].arg == arguments:
                    return len(following) > 1 and following[1].op == "LOAD_ATTR"
    return False


def _has_plain_self(code: CodeType) -> bool:
    """Whether `super()` finds what the one instruction takes: the class, and a first argument that is in no cell."""
    return code.co_argcount > 0 and code.co_varnames[0] not in code.co_cellvars and "__class__" in code.co_freevars


def _is_method_load(instr: Instr) -> bool:
    return instr.op == "LOAD_METHOD" or bool("LOAD_ATTR" in v.NAME_FLAG_BITS and instr.arg & 1)
