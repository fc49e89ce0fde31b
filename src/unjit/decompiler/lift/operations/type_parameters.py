"""Type parameters and `type` statements (PEP 695, 3.12 and later).

*What the compiler did*: what has type parameters stands in a hidden function that makes them and is called at once; a
bound, a default and the value of a `type` statement are functions that are called when asked for. *What we produce*:
a `Helper` for each operation; `render.definitions.type_parameters` puts them together. The hidden function is made when
its defaults lie on the stack already: its making, which does nothing that anybody sees, moves into the call.
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.tree.nodes import MakeFunction, Temp
from unjit.decompiler.kinds import is_hidden
from unjit.decompiler.lift.machine import Machine

# Intrinsic functions of one operand, and of two, by number.
OF_ONE = {7: "TYPEVAR", 8: "PARAMSPEC", 9: "TYPEVARTUPLE", 10: "SUBSCRIPT_GENERIC", 11: "TYPEALIAS"}
OF_TWO = {
    2: "TYPEVAR_WITH_BOUND",
    3: "TYPEVAR_WITH_CONSTRAINTS",
    4: "SET_FUNCTION_TYPE_PARAMS",
    5: "SET_TYPEPARAM_DEFAULT",
}


def hidden_function(m: Machine, function: ast.expr) -> MakeFunction | None:
    """The hidden function that was made just before it is called; None if that is another one."""
    made = function.definition if isinstance(function, Temp) else None
    if not (isinstance(made, MakeFunction) and is_hidden(made.code) and m.take_back(function)):
        return None
    closure = made.closure
    if isinstance(closure, Temp) and closure.definition is not None and m.take_back(closure):
        made.closure = closure.definition
    return made
