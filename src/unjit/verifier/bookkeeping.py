"""Constants that say where code stands rather than what it does: replaced by what is left without the place.

* The line that a class body stores as `__firstlineno__` (3.13).
* The order of the names that it stores as `__static_attributes__` (3.13; they come from a set).
* The prefix of a qualified name, in `__qualname__ = …` and in the name given to MAKE_FUNCTION (3.10).
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator
from dataclasses import replace
from types import CodeType

from unjit.bytecode import Instr, decode
from unjit.bytecode import versions as v
from unjit.bytecode.functions.hidden_variables import CLASS_NAMESPACE

_LINE = object()  # in place of a line: no code can store this object itself


def comparable_instrs(code: CodeType) -> tuple[Instr, ...]:
    """The instructions of `code` without lines, and without such constants. Raises BytecodeError."""
    instrs = decode(code, with_lines=False)
    is_function = bool(code.co_flags & inspect.CO_OPTIMIZED)
    if v.PY311 and is_function:  # a function stores no such names
        return instrs
    changes = {} if v.PY311 else dict(_function_names(instrs))
    if not is_function:
        changes |= _stored_by_a_class(code, instrs)
    return tuple(changes.get(n, i) for n, i in enumerate(instrs)) if changes else instrs


def _function_names(instrs: tuple[Instr, ...]) -> Iterator[tuple[int, Instr]]:
    """Up to 3.10: the loads of the qualified names that functions are made with, reduced to their last part."""
    for n, (one, two) in enumerate(itertools.pairwise(instrs)):
        if one.op == "LOAD_CONST" and two.op == "MAKE_FUNCTION" and isinstance(one.value, str):
            yield n, replace(one, value=one.value.rpartition(".")[2])


def _stored_by_a_class(code: CodeType, instrs: tuple[Instr, ...]) -> dict[int, Instr]:
    """The loads of what the compiler stores in each class body, by index, with what is left of each without its place.

    It stores `__module__` first, the other names right after it, `__static_attributes__` last.
    """
    storing = (n for n, instr in enumerate(instrs) if instr.op in v.CLASS_STORES and instr.value != CLASS_NAMESPACE)
    first = next(storing, 0)
    stored = [instr.value for instr in instrs[first : first + 5 : 2]]
    if [instrs[first - 1].value, *stored[:2]] != ["__name__", "__module__", "__qualname__"]:
        return {}
    name = instrs[first + 1]
    if not isinstance(name.value, str) or name.value.rpartition(".")[2] != code.co_name:
        return {}
    changes = {first + 1: replace(name, value=code.co_name)}
    if v.PY313 and stored[2:] == ["__firstlineno__"] and instrs[first + 3].value == code.co_firstlineno:
        changes[first + 3] = replace(instrs[first + 3], value=_LINE)
    last = max((n for n, instr in enumerate(instrs) if _stores_static_attributes(instr)), default=0)
    attributes = instrs[last - 1].value if v.PY313 and last else None
    if isinstance(attributes, tuple):
        changes[last - 1] = replace(instrs[last - 1], value=tuple(sorted(attributes, key=repr)))
    return changes


def _stores_static_attributes(instr: Instr) -> bool:
    return instr.op in v.CLASS_STORES and instr.value == "__static_attributes__"
