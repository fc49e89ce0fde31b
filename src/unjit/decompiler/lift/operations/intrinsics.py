"""The interpreter's intrinsic functions (3.12 and later), which two instructions call by their numbers."""

from __future__ import annotations

import ast

from unjit.bytecode import Instr
from unjit.bytecode.instructions import intrinsics
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree.nodes import Helper
from unjit.decompiler.lift.machine import Machine
from unjit.decompiler.lift.operations import type_parameters
from unjit.decompiler.lift.operations.exception_groups import left_over
from unjit.decompiler.lift.operations.namespaces import import_star

_OF_ONE = {intrinsics.LIST_TO_TUPLE: "LIST_TO_TUPLE", **type_parameters.OF_ONE}


def _of_one(m: Machine, i: Instr) -> None:
    if i.arg == intrinsics.ASYNC_GEN_WRAP:
        return
    if i.arg == intrinsics.PRINT:
        m.pop()
        m.push_atom(ast.Constant(None))
    elif i.arg == intrinsics.IMPORT_STAR:
        import_star(m, i)
        m.push_atom(ast.Constant(None))
    elif i.arg == intrinsics.UNARY_POSITIVE:
        m.push(ast.UnaryOp(ast.UAdd(), m.pop()))
    elif i.arg in _OF_ONE:
        m.push(Helper(_OF_ONE[i.arg], [m.pop()]))
    else:
        raise _no_source_form(i)


def _of_two(m: Machine, i: Instr) -> None:
    """The operands in the order in which they were evaluated: type parameters before the function that has them."""
    if i.arg == intrinsics.PREP_RERAISE_STAR:
        left_over(m, i)
        return
    kind = type_parameters.OF_TWO.get(i.arg)
    if kind is None:
        raise _no_source_form(i)
    first, second = m.pop_many(2)
    m.push(Helper(kind, [second, first] if kind == "SET_FUNCTION_TYPE_PARAMS" else [first, second]))


def _no_source_form(i: Instr) -> CannotExpress:
    return CannotExpress(f"{i.op} {i.arg} at offset {i.offset} has no source form here")


OPERATIONS = {"CALL_INTRINSIC_1": _of_one, "CALL_INTRINSIC_2": _of_two}
