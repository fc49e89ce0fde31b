"""What is the same in CPython 3.10 to 3.15, and what went after 3.13 or 3.14."""

from __future__ import annotations

from unjit.verifier.machine.micro import Act, Micro
from unjit.verifier.machine.values import BOOL, INT
from unjit.verifier.operations.recipes import (
    GET_ITEM,
    NOT,
    NULL,
    POP,
    PUSH_OWN,
    SET_ITEM,
    STORE,
    TRUTH,
    Table,
    counted,
    display,
    event,
    fixed,
    into,
    into_display,
    inverted,
    jump,
    local,
    map_display,
    named,
    of_cell,
    on_display,
    plain,
    push,
    set_display,
)

MOVES: Table = {
    "NOP": fixed(),
    "CACHE": fixed(),
    "POP_TOP": fixed(POP),
    "LOAD_CONST": fixed(PUSH_OWN),
    "STORE_FAST": local(Act.STORE),
    "DELETE_FAST": fixed(Micro(Act.REQUIRE_BOUND), NULL, STORE),
    "LOAD_CLOSURE": local(Act.LOAD),
    "JUMP_FORWARD": fixed(jump()),
}
BRANCHES: Table = {
    "UNARY_NOT": fixed(TRUTH, NOT),
    "IS_OP": lambda i: inverted(i, Micro(Act.IS)),
    "CONTAINS_OP": lambda i: inverted(i, event("contains", pops=2, results=(BOOL,))),
}
SCOPES: Table = {
    "LOAD_GLOBAL": named("load_global", 0, 1),
    "STORE_GLOBAL": named("store_global", 1, 0),  # where a key of the namespace has an `__eq__` that raises
    "DELETE_GLOBAL": named("delete_global", 0, 0),
    "LOAD_NAME": named("load_name", 0, 1),
    "STORE_NAME": named("store_name", 1, 0),
    "DELETE_NAME": named("delete_name", 0, 0),
    "LOAD_DEREF": of_cell("load_deref", 0, 1),
    "STORE_DEREF": of_cell("store_deref", 1, 0, raises=False),
    "DELETE_DEREF": of_cell("delete_deref", 0, 0),
    "IMPORT_NAME": named("import_name", 2, 1),
    "IMPORT_FROM": lambda i: (event("import_from", i.value, reads=(1,), pushes=1),),
    "SETUP_ANNOTATIONS": plain("setup_annotations", 0, 0),
    "LOAD_BUILD_CLASS": plain("load_build_class", 0, 1),
}
OBJECTS: Table = {
    "LOAD_ATTR": named("getattr", 1, 1),
    "STORE_ATTR": named("setattr", 2, 0),
    "DELETE_ATTR": named("delattr", 1, 0),
    "UNARY_NEGATIVE": plain("negative", 1, 1),
    "UNARY_INVERT": plain("invert", 1, 1),
    "COMPARE_OP": lambda i: (Micro(Act.COMPARE, ("compare", i.value), pops=2, results=(0,), raises=True),),
    "STORE_SUBSCR": fixed(SET_ITEM),
    "DELETE_SUBSCR": fixed(on_display(Act.DELETE_ITEM, "delitem", 2)),
    "GET_LEN": fixed(event("len", reads=(1,), results=(INT,))),
    "MATCH_MAPPING": fixed(event("match_mapping", reads=(1,), results=(BOOL,), raises=False)),
    "MATCH_SEQUENCE": fixed(event("match_sequence", reads=(1,), results=(BOOL,), raises=False)),
}
BUILDS: Table = {
    "BUILD_TUPLE": display(Act.TUPLE, "tuple"),
    "BUILD_LIST": display(Act.LIST, "list"),
    "BUILD_SET": set_display,
    "BUILD_MAP": map_display,
    "BUILD_STRING": counted("join"),  # of what no format made it raises, unless that is text
    "BUILD_SLICE": display(Act.SLICE, "slice"),
    "LIST_APPEND": into_display(Act.LIST_APPEND, "list_append", 1, raises=False),
    "SET_ADD": into("set_add", 1),
    "MAP_ADD": into_display(Act.MAP_ADD, "map_add", 2),
    "LIST_EXTEND": into_display(Act.LIST_EXTEND, "list_extend", 1),
    "SET_UPDATE": into_display(Act.SET_UPDATE, "set_update", 1),
    "DICT_UPDATE": into_display(Act.MAP_UPDATE, "dict_update", 1),
    # Also reads the callee, whose name is in the error message.
    "DICT_MERGE": into_display(Act.MAP_MERGE, "dict_merge", 1, also=2),
    "UNPACK_SEQUENCE": lambda i: (Micro(Act.UNPACK, ("unpack", i.arg), 1, (), (0,) * i.arg, True),),
    "UNPACK_EX": lambda i: (event("unpack_ex", i.arg, pops=1, pushes=(i.arg & 255) + 1 + (i.arg >> 8)),),
    "MAKE_FUNCTION": lambda i: (
        event("make_function", i.arg, pops=1 + (i.arg & 15).bit_count(), pushes=1, raises=False),
    ),
}
ITERATION: Table = {
    "GET_AWAITABLE": plain("awaitable", 1, 1),
    "GET_AITER": plain("aiter", 1, 1),
    "GET_ANEXT": fixed(event("anext", reads=(1,), pushes=1)),
    "YIELD_VALUE": fixed(event("yield", pops=1, pushes=1)),
    "RETURN_VALUE": fixed(Micro(Act.RETURN, ("return",), pops=1)),
    "RAISE_VARARGS": lambda i: (
        (Micro(Act.RAISE, ("raise",), pops=i.arg, raises=True),)
        if i.arg
        else (Micro(Act.RERAISE_CURRENT, ("raise current",), raises=True),)
    ),
}
UNTIL_3_13: Table = {
    "LOAD_ASSERTION_ERROR": fixed(push(AssertionError)),
    "BINARY_SUBSCR": fixed(GET_ITEM),
    # The keys are on top, as one constant: the same as the map whose pairs lie there.
    "BUILD_CONST_KEY_MAP": display(Act.CONST_KEY_MAP, "const_key_map", more=1, raises=True),
    "BEFORE_ASYNC_WITH": fixed(event("enter_async", pops=1, pushes=2)),
}
UNTIL_3_14: Table = {
    "GET_ITER": plain("iter", 1, 1),
    "GET_YIELD_FROM_ITER": plain("yield_from_iter", 1, 1),
}
COMMON: Table = MOVES | BRANCHES | SCOPES | OBJECTS | BUILDS | ITERATION
