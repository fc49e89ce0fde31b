"""Type parameters and `type` statements (PEP 695, 3.12 and later).

*What the compiler did*: what has type parameters stands in a hidden function that makes them and is called at once; a
bound, a default and the value of a `type` statement are functions that are called when asked for. *What we produce*:
a `Helper` for each operation; `render.type_parameters` puts them together. The hidden function is made when its
defaults lie on the stack already: its making, which does nothing that anybody sees, moves into the call.
"""

from __future__ import annotations

import ast

from unjit.bytecode import Instr
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.nodes import Define, Helper, MakeFunction, Temp
from unjit.decompiler.kinds import is_hidden
from unjit.decompiler.lift.exception_groups import left_over
from unjit.decompiler.lift.machine import Machine

# CALL_INTRINSIC_1 and _2 by number.
OF_ONE = {7: "TYPEVAR", 8: "PARAMSPEC", 9: "TYPEVARTUPLE", 10: "SUBSCRIPT_GENERIC", 11: "TYPEALIAS"}
OF_TWO = {
    2: "TYPEVAR_WITH_BOUND",
    3: "TYPEVAR_WITH_CONSTRAINTS",
    4: "SET_FUNCTION_TYPE_PARAMS",
    5: "SET_TYPEPARAM_DEFAULT",
}


_LEFT_OVER = 1  # PREP_RERAISE_STAR


def _of_two(m: Machine, i: Instr) -> None:
    """The operands in the order in which they were evaluated: type parameters before the function that has them."""
    if i.arg == _LEFT_OVER:
        left_over(m, i)
        return
    kind = OF_TWO.get(i.arg)
    if kind is None:
        raise CannotExpress(f"{i.op} {i.arg} at offset {i.offset} has no source form here")
    first, second = m.pop_many(2)
    m.push(Helper(kind, [second, first] if kind == "SET_FUNCTION_TYPE_PARAMS" else [first, second]))


def hidden_function(m: Machine, function: ast.expr) -> MakeFunction | None:
    """The hidden function that was made just before it is called; None if that is another one."""
    made = function.definition if isinstance(function, Temp) else None
    if not (isinstance(made, MakeFunction) and is_hidden(made.code) and _take_back(m, function)):
        return None
    closure = made.closure
    if isinstance(closure, Temp) and closure.definition is not None and _take_back(m, closure):
        made.closure = closure.definition
    return made


def _take_back(m: Machine, value: ast.expr) -> bool:
    """Drop the definition of a value if that was the last thing done."""
    last = m.statements[-1] if m.statements else None
    if not (isinstance(last, Define) and last.temp is value):
        return False
    m.statements.pop()
    return True


OPERATIONS = {"CALL_INTRINSIC_2": _of_two}
