"""What CPython 3.14 has beside the common operations: most of 3.13."""

from __future__ import annotations

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.verifier.machine.micro import Act, Micro
from unjit.verifier.operations.python313 import PY313
from unjit.verifier.operations.recipes import (
    GET_ITEM,
    POP,
    PUSH_OWN,
    Table,
    event,
    fixed,
    plain,
)


def binary_3_14(i: Instr) -> tuple[Micro, ...]:
    return (GET_ITEM,) if i.arg == v.SUBSCRIPT else PY313["BINARY_OP"](i)


PY314: Table = {
    **{name: recipe for name, recipe in PY313.items() if name not in ("RETURN_CONST", "BEFORE_WITH")},
    "NOT_TAKEN": fixed(),
    "POP_ITER": fixed(POP),
    "LOAD_COMMON_CONSTANT": fixed(PUSH_OWN),
    "BINARY_OP": binary_3_14,
    # The method of a context manager, looked up in its class: the two entries that a method call takes.
    "LOAD_SPECIAL": lambda i: (event("special", i.arg, pops=1, pushes=1), Micro(Act.SPLIT_METHOD)),
    # Exception, the one handled before, place of the failure, the two entries of `__exit__`.
    "WITH_EXCEPT_START": fixed(event("exit", reads=(5, 4, 1), pushes=1)),
    # The entry for a dict of keyword arguments is there in any case, NULL where there is none.
    "CALL_FUNCTION_EX": fixed(Micro(Act.CALL_SPREAD, ("call_ex", 0), 4, (), (0,), True, count=1)),
    "BUILD_INTERPOLATION": lambda i: (event("interpolation", i.arg, pops=2 + (i.arg & 1), pushes=1),),
    "BUILD_TEMPLATE": plain("template", 2, 1),
}
