"""What CPython 3.11 has beside the common operations."""

from __future__ import annotations

from unjit.bytecode import Instr
from unjit.verifier.machine.micro import Act, Micro
from unjit.verifier.machine.values import BOOL
from unjit.verifier.operations.python310 import PY310
from unjit.verifier.operations.recipes import (
    LOAD,
    NULL,
    POP,
    RERAISE,
    STOPPED,
    STORE,
    Table,
    branch,
    call_spread,
    copy,
    event,
    fixed,
    jump,
    jump_if,
    jump_if_none,
    jump_or_pop,
    local,
    plain,
    swap,
)

JUMPS: Table = {
    f"POP_JUMP_{way}_IF_{test}": recipe
    for way in ("FORWARD", "BACKWARD")
    for test, recipe in {
        "TRUE": jump_if(True),
        "FALSE": jump_if(False),
        "NONE": jump_if_none(True),
        "NOT_NONE": jump_if_none(False),
    }.items()
}


def method_call(i: Instr) -> tuple[Micro, ...]:
    return (Micro(Act.CALL, ("call", "null first"), i.arg + 2, (), (0,), True, i.arg),)


PY311: Table = {
    "FORMAT_VALUE": PY310["FORMAT_VALUE"],
    "LOAD_CLASSDEREF": PY310["LOAD_CLASSDEREF"],
    **JUMPS,
    "RESUME": fixed(),
    "PRECALL": fixed(),
    "PUSH_NULL": fixed(NULL),
    "COPY": lambda i: (copy(i.arg),),
    "SWAP": lambda i: (swap(i.arg),),
    "UNARY_POSITIVE": PY310["UNARY_POSITIVE"],
    "LIST_TO_TUPLE": PY310["LIST_TO_TUPLE"],
    "PRINT_EXPR": PY310["PRINT_EXPR"],
    "IMPORT_STAR": PY310["IMPORT_STAR"],
    "ASYNC_GEN_WRAP": plain("async_gen_wrap", 1, 1, raises=False),
    "BINARY_OP": plain("binary", 2, 1),
    "LOAD_FAST": local(Act.LOAD_BOUND),
    "JUMP_BACKWARD": fixed(jump()),
    "JUMP_BACKWARD_NO_INTERRUPT": fixed(jump()),
    "JUMP_IF_TRUE_OR_POP": jump_or_pop(True),
    "JUMP_IF_FALSE_OR_POP": jump_or_pop(False),
    "LOAD_GLOBAL": lambda i: (*((NULL,) if i.arg & 1 else ()), event("load_global", i.value, pushes=1)),
    "LOAD_METHOD": PY310["LOAD_METHOD"],
    "KW_NAMES": fixed(Micro(Act.KEYWORDS)),
    "CALL": method_call,
    "CALL_FUNCTION_EX": call_spread(callee=1, entries=3),
    "MAKE_CELL": lambda i: (LOAD, event("make_cell", i.value, pops=1, pushes=1, raises=False), STORE),
    "COPY_FREE_VARS": plain("copy_free_vars", 0, 0, raises=False),
    "MATCH_KEYS": fixed(event("match_keys", reads=(2, 1), pushes=1)),
    "MATCH_CLASS": lambda i: (event("match_class", i.arg, pops=3, pushes=1),),
    "BEFORE_WITH": fixed(event("enter", pops=1, pushes=2)),
    "PUSH_EXC_INFO": fixed(Micro(Act.HANDLE)),
    "POP_EXCEPT": fixed(Micro(Act.UNHANDLE)),
    "RERAISE": lambda i: (Micro(Act.RERAISE, count=i.arg),),
    "CHECK_EXC_MATCH": fixed(copy(2), swap(2), event("exception_match", pops=2, results=(BOOL,))),
    "CHECK_EG_MATCH": fixed(event("group_match", pops=2, pushes=2, handles=True)),
    "PREP_RERAISE_STAR": plain("prep_reraise_star", 2, 1),
    # Exception, the one handled before, place of the failure, the bound `__exit__`.
    "WITH_EXCEPT_START": fixed(event("exit", reads=(4, 1), pushes=1)),
    "RETURN_GENERATOR": fixed(event("return_generator", pushes=1)),
    "SEND": fixed(Micro(Act.SEND, ("send",), pops=1, reads=(1,), results=(0,), raises=True, count=1)),
    "END_ASYNC_FOR": fixed(copy(1), STOPPED, branch(True, skip=2), RERAISE, POP, POP),
    "FOR_ITER": PY310["FOR_ITER"],
}
