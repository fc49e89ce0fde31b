"""Constants that say where code stands rather than what it does: replaced by what is left without the place.

* The line that a class body stores as `__firstlineno__` (3.13).
* The order of the names that it stores as `__static_attributes__` (3.13; they come from a set).
* The prefix of a qualified name, in `__qualname__ = …` and in the name given to MAKE_FUNCTION (3.10).
"""

from __future__ import annotations

import inspect
import itertools
from dataclasses import replace
from types import CodeType

from unjit.bytecode import Instr, decode
from unjit.bytecode import versions as v

# The suite of a class may declare these names global or nonlocal.
_STORES = ("STORE_NAME", "STORE_GLOBAL", "STORE_DEREF")


def read(code: CodeType) -> tuple[Instr, ...]:
    """The instructions of `code`, without such constants. Raises BytecodeError."""
    instrs = decode(code, with_lines=False)
    if v.PY311 and code.co_flags & inspect.CO_OPTIMIZED:  # a function stores no such names
        return instrs
    changes = {}
    for n, (one, two) in enumerate(itertools.pairwise(instrs)):
        if one.op == "LOAD_CONST" and (two.op in _STORES or two.op == "MAKE_FUNCTION"):
            value = _without_place(code, one.value, two, instrs[n - 1] if n else None)
            if value is not one.value:
                changes[n] = replace(one, value=value)
    return tuple(changes.get(n, i) for n, i in enumerate(instrs)) if changes else instrs


def _without_place(code: CodeType, value: object, user: Instr, before: Instr | None) -> object:
    """Names and lines are the compiler's only where it stores them: right behind `__module__`, one behind the other."""
    stored = before.value if before is not None and before.op in _STORES else None
    if user.op == "MAKE_FUNCTION" or (user.value == "__qualname__" and stored == "__module__"):
        return value.rpartition(".")[2] if isinstance(value, str) else value
    if v.PY313 and user.value == "__firstlineno__" and stored == "__qualname__" and value == code.co_firstlineno:
        return "line"
    if v.PY313 and user.value == "__static_attributes__" and isinstance(value, tuple):
        return tuple(sorted(value, key=repr))
    return value
