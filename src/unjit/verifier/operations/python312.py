"""What CPython 3.12 has beside the common operations: most of 3.11."""

from __future__ import annotations

from unjit.bytecode import Instr
from unjit.bytecode.instructions import intrinsics
from unjit.verifier.machine.micro import Act, Micro
from unjit.verifier.machine.values import BOOL
from unjit.verifier.operations.python311 import JUMPS, PY311
from unjit.verifier.operations.recipes import (
    GET_ITEM,
    LIST_TO_TUPLE,
    LOAD,
    NULL,
    POP,
    PUSH_OWN,
    RERAISE,
    SET_ITEM,
    STORE,
    Table,
    branch,
    copy,
    event,
    fixed,
    jump_if,
    jump_if_none,
    local,
    named,
    of_cell,
    on_display,
    plain,
    push,
    sink,
    swap,
)


def load_attr_3_12(i: Instr) -> tuple[Micro, ...]:
    found = event("getattr", i.value, pops=1, pushes=1)
    return (found, Micro(Act.SPLIT_METHOD)) if i.arg & 1 else (found,)


def load_super_attr(i: Instr) -> tuple[Micro, ...]:
    found = event("super_attr", i.value, i.arg & 2, pops=3, pushes=1)
    return (found, Micro(Act.SPLIT_METHOD)) if i.arg & 1 else (found,)


STOP_ITERATION = event("is_stop_iteration", pops=1, results=(BOOL,), raises=False)
STOP_VALUE = event("stop_value", pops=1, pushes=1, raises=False)
_SLICE = on_display(Act.SLICE, "slice", 2, 1, raises=False)
_REMOVED_IN_3_12 = (
    *JUMPS,
    "PRECALL",
    "LIST_TO_TUPLE",
    "UNARY_POSITIVE",
    "ASYNC_GEN_WRAP",
    "JUMP_IF_TRUE_OR_POP",
    "JUMP_IF_FALSE_OR_POP",
    "LOAD_METHOD",
    "PREP_RERAISE_STAR",
    "LOAD_CLASSDEREF",
    "PRINT_EXPR",
    "IMPORT_STAR",
)
PY312: Table = {
    **{name: recipe for name, recipe in PY311.items() if name not in _REMOVED_IN_3_12},
    "POP_JUMP_IF_TRUE": jump_if(True),
    "POP_JUMP_IF_FALSE": jump_if(False),
    "POP_JUMP_IF_NONE": jump_if_none(True),
    "POP_JUMP_IF_NOT_NONE": jump_if_none(False),
    "LOAD_FAST": local(Act.LOAD),
    "LOAD_FAST_CHECK": local(Act.LOAD_BOUND),
    "LOAD_FAST_AND_CLEAR": fixed(LOAD, NULL, STORE),
    "LOAD_ATTR": load_attr_3_12,
    "LOAD_SUPER_ATTR": load_super_attr,
    "LOAD_LOCALS": plain("load_locals", 0, 1),
    "LOAD_FROM_DICT_OR_GLOBALS": named("load_from_dict_or_globals", 1, 1),
    "LOAD_FROM_DICT_OR_DEREF": of_cell("load_from_dict_or_deref", 1, 1),
    "BINARY_SLICE": fixed(_SLICE, GET_ITEM),
    "STORE_SLICE": fixed(_SLICE, SET_ITEM),
    "CALL_INTRINSIC_1": lambda i: (
        LIST_TO_TUPLE if i.arg == intrinsics.LIST_TO_TUPLE else event("intrinsic_1", i.arg, pops=1, pushes=1),
    ),
    "CALL_INTRINSIC_2": plain("intrinsic_2", 2, 1),
    "RETURN_CONST": fixed(PUSH_OWN, Micro(Act.RETURN, ("return",), pops=1)),
    "END_FOR": fixed(POP, POP),
    "END_SEND": fixed(swap(2), POP),
    "SEND": fixed(Micro(Act.SEND, ("send",), pops=1, reads=(1,), results=(0,), raises=True)),
    "FOR_ITER": fixed(Micro(Act.NEXT, ("next",), results=(0,), reads=(1,), raises=True)),
    # If the delegate returned, its value replaces it; any other exception goes on.
    "CLEANUP_THROW": fixed(
        copy(1), STOP_ITERATION, branch(True, skip=2), RERAISE, STOP_VALUE, sink(3), POP, POP, push(None), swap(2)
    ),
}
