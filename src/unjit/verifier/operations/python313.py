"""What CPython 3.13 has beside the common operations: most of 3.12."""

from __future__ import annotations

from unjit.bytecode import Instr
from unjit.verifier.machine.micro import Act, Micro
from unjit.verifier.operations.common import COMMON
from unjit.verifier.operations.python312 import PY312
from unjit.verifier.operations.recipes import (
    NOT,
    NULL,
    POP,
    TRUTH,
    Table,
    branch,
    call_spread,
    event,
    fixed,
    into_display,
    plain,
    swap,
)

_BOOL_FLAG = 16  # of COMPARE_OP: the result is wanted as True or False


def compare_3_13(i: Instr) -> tuple[Micro, ...]:
    return (*COMMON["COMPARE_OP"](i), *((TRUTH,) if i.arg & _BOOL_FLAG else ()))


PY313: Table = {
    **{name: recipe for name, recipe in PY312.items() if name not in ("KW_NAMES", "FORMAT_VALUE")},
    "TO_BOOL": fixed(TRUTH),
    "UNARY_NOT": fixed(NOT),  # what these take is True or False already
    "POP_JUMP_IF_TRUE": fixed(branch(True)),
    "POP_JUMP_IF_FALSE": fixed(branch(False)),
    "COMPARE_OP": compare_3_13,
    "LOAD_GLOBAL": lambda i: (event("load_global", i.value, pushes=1), *((NULL,) if i.arg & 1 else ())),
    "CALL": lambda i: (Micro(Act.CALL, ("call", "null last"), i.arg + 2, (), (0,), True, i.arg),),
    "CALL_KW": lambda i: (Micro(Act.CALL, ("call", "null last, keywords"), i.arg + 3, (), (0,), True, i.arg),),
    "DICT_MERGE": into_display(Act.MAP_MERGE, "dict_merge", 1, also=3),
    "CALL_FUNCTION_EX": call_spread(callee=0, entries=3),
    "MAKE_FUNCTION": fixed(event("make_function", pops=1, pushes=1, raises=False)),
    "SET_FUNCTION_ATTRIBUTE": lambda i: (
        swap(2),
        event("set_function_attribute", i.arg, pops=1, reads=(1,), raises=False),
    ),
    "FORMAT_SIMPLE": plain("format", 1, 1),
    "FORMAT_WITH_SPEC": plain("format_with_spec", 2, 1),
    "CONVERT_VALUE": plain("convert", 1, 1),
    "END_FOR": fixed(POP),
}
