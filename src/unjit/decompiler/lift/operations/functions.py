"""Functions and classes being made."""

from __future__ import annotations

import ast

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree.nodes import BuildClass, CodeConst, Define, MakeFunction, Temp
from unjit.decompiler.ir.tree.order import temps_in
from unjit.decompiler.lift.machine import Machine

# MAKE_FUNCTION's flags, and since 3.13 SET_FUNCTION_ATTRIBUTE's, in the order in which the operands lie on the stack.
PARTS = {1: "defaults", 2: "kwdefaults", 4: "annotations", 8: "closure", 16: "annotate"}


def _make_function(m: Machine, i: Instr) -> None:
    qualname = None if v.PY311 else m.pop()
    code = m.pop()
    if not isinstance(code, CodeConst):
        raise CannotExpress(f"MAKE_FUNCTION at offset {i.offset} takes code that is not a constant")
    function = MakeFunction(code.code)
    function.qualname = qualname.value if isinstance(qualname, ast.Constant) else None  # type: ignore[assignment]
    for bit in sorted(PARTS, reverse=True):
        if i.arg & bit and not v.PY313:
            setattr(function, PARTS[bit], m.pop())
    _keep_annotated(m, m.push(function), function)


def _set_function_attribute(m: Machine, i: Instr) -> None:
    """Give the function just made one of its parts: evaluated before it, also where it was put off until now."""
    function = m.take()
    made = function.definition if isinstance(function, Temp) else None
    last = m.statements.pop() if m.statements else None
    if not (isinstance(last, Define) and last.value is made and isinstance(made, MakeFunction)):
        raise CannotExpress(f"SET_FUNCTION_ATTRIBUTE at offset {i.offset} changes no function that was just made")
    setattr(made, PARTS[i.arg], _popped_before_parts(m, made))
    m.statements.append(last)
    _keep_annotated(m, function, made)
    m.push_atom(function)


def _popped_before_parts(m: Machine, function: MakeFunction) -> ast.expr:
    """The value on top; if it was put off, it is made before the parts that the function has got so far."""
    parts, wanted = list[ast.stmt](), set(temps_in(function))
    while m.statements and isinstance(last := m.statements[-1], Define) and last.temp in wanted:
        parts.append(m.statements.pop())
        wanted.update(temps_in(last.value))
    before = len(m.statements)
    value = m.pop()
    read = set(temps_in(*m.statements[before:]))
    if any(isinstance(part, Define) and part.temp in read for part in parts):  # what is made holds a part
        m.statements[before:before] = parts[::-1]
    else:
        m.statements += parts[::-1]
    return value


def _keep_annotated(m: Machine, value: ast.expr, function: MakeFunction) -> None:
    """`star_annotations` looks for such."""
    if function.annotations is not None:
        m.kept.add(value)


def _load_build_class(m: Machine, i: Instr) -> None:
    del i
    m.push(BuildClass())


OPERATIONS = {
    "MAKE_FUNCTION": _make_function,
    "SET_FUNCTION_ATTRIBUTE": _set_function_attribute,
    "LOAD_BUILD_CLASS": _load_build_class,
}
