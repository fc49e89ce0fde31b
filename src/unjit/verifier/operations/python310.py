"""What CPython 3.10 has beside the common operations.

An exception takes three entries: traceback, value, type on top.
"""

from __future__ import annotations

from unjit.verifier.machine.micro import Act, Micro
from unjit.verifier.machine.values import BOOL
from unjit.verifier.operations.recipes import (
    LIST_TO_TUPLE,
    POP,
    RERAISE,
    STOPPED,
    Table,
    branch,
    call_spread,
    copy,
    event,
    fixed,
    jump,
    jump_if,
    jump_or_pop,
    local,
    of_cell,
    plain,
    sink,
    swap,
)


def _same_name(*names: str, pops: int, pushes: int) -> Table:
    return {name: plain(name.lower(), pops, pushes) for name in names}


_OPERATORS = "ADD AND FLOOR_DIVIDE LSHIFT MATRIX_MULTIPLY MODULO MULTIPLY OR POWER RSHIFT SUBTRACT TRUE_DIVIDE XOR"
PY310: Table = {
    "FORMAT_VALUE": lambda i: (event("format", i.arg, pops=1 + (i.arg >> 2 & 1), pushes=1),),
    "LOAD_CLASSDEREF": of_cell("load_classderef", 0, 1),
    **_same_name(*(f"{kind}_{op}" for kind in ("BINARY", "INPLACE") for op in _OPERATORS.split()), pops=2, pushes=1),
    "UNARY_POSITIVE": plain("positive", 1, 1),
    "LOAD_FAST": local(Act.LOAD_BOUND),
    "DUP_TOP": fixed(copy(1)),
    "DUP_TOP_TWO": fixed(copy(2), copy(2)),
    "ROT_TWO": fixed(swap(2)),
    "ROT_THREE": fixed(sink(3)),
    "ROT_FOUR": fixed(sink(4)),
    "ROT_N": lambda i: (sink(i.arg),),
    "JUMP_ABSOLUTE": fixed(jump()),
    "POP_JUMP_IF_TRUE": jump_if(True),
    "POP_JUMP_IF_FALSE": jump_if(False),
    "JUMP_IF_TRUE_OR_POP": jump_or_pop(True),
    "JUMP_IF_FALSE_OR_POP": jump_or_pop(False),
    "JUMP_IF_NOT_EXC_MATCH": fixed(event("exception_match", pops=2, results=(BOOL,)), branch(False)),
    "LIST_TO_TUPLE": fixed(LIST_TO_TUPLE),
    "LOAD_METHOD": lambda i: (event("getattr", i.value, pops=1, pushes=1), Micro(Act.SPLIT_METHOD)),
    "CALL_METHOD": lambda i: (Micro(Act.CALL, ("call", "method"), i.arg + 2, (), (0,), True, i.arg),),
    "CALL_FUNCTION": lambda i: (Micro(Act.CALL, ("call", "function"), i.arg + 1, (), (0,), True, i.arg),),
    "CALL_FUNCTION_KW": lambda i: (Micro(Act.CALL, ("call", "keywords"), i.arg + 2, (), (0,), True, i.arg),),
    "CALL_FUNCTION_EX": call_spread(callee=0, entries=2),
    "COPY_DICT_WITHOUT_KEYS": fixed(event("copy_without", pops=1, reads=(1,), pushes=1)),
    "MATCH_KEYS": fixed(event("match_keys", reads=(2, 1), results=(0, BOOL))),
    "MATCH_CLASS": lambda i: (event("match_class", i.arg, pops=3, results=(0, BOOL)),),
    "SETUP_FINALLY": fixed(),
    "SETUP_ASYNC_WITH": fixed(),
    "POP_BLOCK": fixed(),
    "SETUP_WITH": fixed(event("enter", pops=1, pushes=2)),
    "POP_EXCEPT": fixed(Micro(Act.UNHANDLE)),
    "RERAISE": fixed(RERAISE),
    # The entries of the exception, those of the former one, the bound `__exit__`.
    "WITH_EXCEPT_START": fixed(event("exit", reads=(7, 3, 2, 1), pushes=1)),
    "GEN_START": fixed(POP),
    "MAKE_FUNCTION": lambda i: (
        event("make_function", i.arg, pops=2 + (i.arg & 15).bit_count(), pushes=1, raises=False),
    ),
    "YIELD_FROM": fixed(event("yield_from", pops=2, pushes=1)),
    "END_ASYNC_FOR": fixed(copy(1), STOPPED, branch(True, skip=2), RERAISE, POP, POP, POP, Micro(Act.UNHANDLE), POP),
    "FOR_ITER": fixed(Micro(Act.NEXT, ("next",), results=(0,), reads=(1,), raises=True, count=1)),
    "PRINT_EXPR": plain("print_expr", 1, 0),
    "IMPORT_STAR": plain("import_star", 1, 0),
}
