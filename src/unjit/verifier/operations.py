"""What each instruction of CPython 3.10 to 3.13 consists of, as tables: one per family, one difference per version.

Each entry is a function from the instruction to its steps. An instruction without an entry is never guessed at: the
verifier answers that it cannot verify it. `tests/test_verifier_tables.py` checks every entry against CPython's own
`dis.stack_effect`.
"""

from __future__ import annotations

from collections.abc import Callable

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.verifier.micro import Act, Micro
from unjit.verifier.values import BOOL

Recipe = Callable[[Instr], tuple[Micro, ...]]
Table = dict[str, Recipe]

NOTHING: tuple[Micro, ...] = ()
POP = Micro(Act.POP, pops=1)
NULL = Micro(Act.PUSH_NULL)
TRUTH = Micro(Act.TRUTH, ("truth",), pops=1, results=(BOOL,), raises=True)
NOT = Micro(Act.NOT)
RERAISE = Micro(Act.RERAISE)


# ---------------------------------------------------------------- builders
def fixed(*steps: Micro) -> Recipe:
    return lambda _: steps


def push(value: object) -> Micro:
    return Micro(Act.PUSH, value=value)


def copy(depth: int) -> Micro:
    return Micro(Act.COPY, count=depth)


def swap(depth: int) -> Micro:
    return Micro(Act.SWAP, count=depth)


def sink(depth: int) -> Micro:
    return Micro(Act.SINK, count=depth)


def jump(skip: int = 0) -> Micro:
    return Micro(Act.JUMP, skip=skip)


def branch(sense: bool, skip: int = 0) -> Micro:
    return Micro(Act.BRANCH, sense=sense, skip=skip)


def event(
    *key: object,
    pops: int = 0,
    pushes: int = 0,
    reads: tuple[int, ...] = (),
    results: tuple[int, ...] = (),
    raises: bool = True,
    handles: bool = False,
) -> Micro:
    return Micro(Act.EVENT, key, pops, reads, results or (0,) * pushes, raises, handles=handles)


def plain(name: str, pops: int, pushes: int, raises: bool = True) -> Recipe:
    """One event whose argument, if it has one, means the same on both sides."""
    return lambda i: (event(name, i.arg, pops=pops, pushes=pushes, raises=raises),)


def named(name: str, pops: int, pushes: int, raises: bool = True) -> Recipe:
    """One event about a name."""
    return lambda i: (event(name, i.value, pops=pops, pushes=pushes, raises=raises),)


def counted(name: str, raises: bool = True) -> Recipe:
    """One event that takes as many entries as its argument says."""
    return lambda i: (event(name, pops=i.arg, pushes=1, raises=raises),)


def into(name: str, pops: int) -> Recipe:
    """One event that adds the popped entries to the container at the depth in the argument."""
    return lambda i: (event(name, pops=pops, reads=(i.arg,)),)


def load(i: Instr) -> Micro:
    return Micro(Act.LOAD, value=i.value, count=i.arg)


def store(i: Instr) -> Micro:
    return Micro(Act.STORE, value=i.value, count=i.arg)


def local(act: Act) -> Recipe:
    return lambda i: (Micro(act, value=i.value, count=i.arg),)


def of_cell(name: str, pops: int, pushes: int, raises: bool = True) -> Recipe:
    """One event on the cell that the argument names; the cell comes last."""
    return lambda i: (load(i), event(name, i.value, pops=pops + 1, pushes=pushes, raises=raises))


def on_display(act: Act, name: str, pops: int, pushes: int = 0, raises: bool = True) -> Micro:
    return Micro(act, (name,), pops, (), (0,) * pushes, raises)


def display(act: Act, name: str, per_item: int = 1, more: int = 0, raises: bool = False) -> Recipe:
    """A display of as many items as the argument says, and `more` entries."""
    return lambda i: (on_display(act, name, per_item * i.arg + more, 1, raises),)


def into_display(act: Act, name: str, pops: int, raises: bool = True, also: int | None = None) -> Recipe:
    """Add the popped entries to the display at the depth in the argument; `also` is read so much below it."""
    return lambda i: (Micro(act, (name,), pops, (i.arg,) if also is None else (i.arg, i.arg + also), raises=raises),)


def call_spread(callee: int, entries: int) -> Recipe:
    """`callee` is the place of what is called among the entries that the call takes; the dict comes on top."""
    return lambda i: (
        Micro(Act.CALL_SPREAD, ("call_ex", callee), entries + (i.arg & 1), (), (0,), True, count=i.arg & 1),
    )


def jump_if(sense: bool) -> Recipe:
    return fixed(TRUTH, branch(sense))


def jump_if_none(sense: bool) -> Recipe:
    return fixed(push(None), Micro(Act.IS), branch(sense))


def jump_or_pop(sense: bool) -> Recipe:
    return fixed(copy(1), TRUTH, branch(sense), POP)


def inverted(i: Instr, step: Micro) -> tuple[Micro, ...]:
    return (step, NOT) if i.arg & 1 else (step,)


GET_ITEM = on_display(Act.GET_ITEM, "getitem", 2, 1)
SET_ITEM = on_display(Act.SET_ITEM, "setitem", 3)


# ---------------------------------------------------------------- families that all versions share
MOVES: Table = {
    "NOP": fixed(),
    "CACHE": fixed(),
    "POP_TOP": fixed(POP),
    "LOAD_CONST": lambda i: (push(i.value),),
    "LOAD_ASSERTION_ERROR": fixed(push(AssertionError)),
    "STORE_FAST": local(Act.STORE),
    "DELETE_FAST": lambda i: (Micro(Act.REQUIRE_BOUND, value=i.value, count=i.arg), NULL, store(i)),
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
    "STORE_GLOBAL": named("store_global", 1, 0, raises=False),
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
    "BINARY_SUBSCR": fixed(GET_ITEM),
    "STORE_SUBSCR": fixed(SET_ITEM),
    "DELETE_SUBSCR": fixed(on_display(Act.DELETE_ITEM, "delitem", 2)),
    "GET_LEN": fixed(event("len", reads=(1,), pushes=1)),
    "MATCH_MAPPING": fixed(event("match_mapping", reads=(1,), results=(BOOL,), raises=False)),
    "MATCH_SEQUENCE": fixed(event("match_sequence", reads=(1,), results=(BOOL,), raises=False)),
}
BUILDS: Table = {
    "BUILD_TUPLE": display(Act.TUPLE, "tuple"),
    "BUILD_LIST": display(Act.LIST, "list"),
    "BUILD_SET": counted("set"),
    "BUILD_MAP": display(Act.MAP, "map", per_item=2, raises=True),
    "BUILD_STRING": counted("join", raises=False),
    "BUILD_SLICE": display(Act.SLICE, "slice"),
    # The keys are on top, as one constant: the same as the map whose pairs lie there.
    "BUILD_CONST_KEY_MAP": display(Act.CONST_KEY_MAP, "const_key_map", more=1, raises=True),
    "LIST_APPEND": into_display(Act.LIST_APPEND, "list_append", 1, raises=False),
    "SET_ADD": into("set_add", 1),
    "MAP_ADD": into_display(Act.MAP_ADD, "map_add", 2),
    "LIST_EXTEND": into_display(Act.LIST_EXTEND, "list_extend", 1),
    "SET_UPDATE": into("set_update", 1),
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
    "GET_ITER": plain("iter", 1, 1),
    "GET_YIELD_FROM_ITER": plain("yield_from_iter", 1, 1),
    "GET_AWAITABLE": plain("awaitable", 1, 1),
    "GET_AITER": plain("aiter", 1, 1),
    "GET_ANEXT": fixed(event("anext", reads=(1,), pushes=1)),
    "YIELD_VALUE": fixed(event("yield", pops=1, pushes=1)),
    "BEFORE_ASYNC_WITH": fixed(event("enter_async", pops=1, pushes=2)),
    "RETURN_VALUE": fixed(Micro(Act.RETURN, ("return",), pops=1)),
    "RAISE_VARARGS": lambda i: (
        (Micro(Act.RAISE, ("raise",), pops=i.arg, raises=True),)
        if i.arg
        else (Micro(Act.RERAISE_CURRENT, ("raise current",), raises=True),)
    ),
}
COMMON: Table = MOVES | BRANCHES | SCOPES | OBJECTS | BUILDS | ITERATION


# ---------------------------------------------------------------- 3.10
def _same_name(*names: str, pops: int, pushes: int) -> Table:
    return {name: plain(name.lower(), pops, pushes) for name in names}


# On 3.10 an exception takes three entries: traceback, value, type on top.
_OPERATORS = "ADD AND FLOOR_DIVIDE LSHIFT MATRIX_MULTIPLY MODULO MULTIPLY OR POWER RSHIFT SUBTRACT TRUE_DIVIDE XOR"
LIST_TO_TUPLE = on_display(Act.LIST_TO_TUPLE, "list_to_tuple", 1, 1, raises=False)
_STOPPED = event("is_stop_async_iteration", pops=1, results=(BOOL,), raises=False)
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
    "END_ASYNC_FOR": fixed(copy(1), _STOPPED, branch(True, skip=2), RERAISE, POP, POP, POP, Micro(Act.UNHANDLE), POP),
    "FOR_ITER": fixed(Micro(Act.NEXT, ("next",), results=(0,), reads=(1,), raises=True, count=1)),
    "PRINT_EXPR": plain("print_expr", 1, 0),
    "IMPORT_STAR": plain("import_star", 1, 0),
}

# ---------------------------------------------------------------- 3.11
_3_11_JUMPS: Table = {
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
    **_3_11_JUMPS,
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
    "KW_NAMES": lambda i: (Micro(Act.KEYWORDS, value=i.value),),
    "CALL": method_call,
    "CALL_FUNCTION_EX": call_spread(callee=1, entries=3),
    "MAKE_CELL": lambda i: (load(i), event("make_cell", i.value, pops=1, pushes=1, raises=False), store(i)),
    "COPY_FREE_VARS": fixed(),
    "MATCH_KEYS": fixed(event("match_keys", reads=(2, 1), pushes=1)),
    "MATCH_CLASS": lambda i: (event("match_class", i.arg, pops=3, pushes=1),),
    "BEFORE_WITH": fixed(event("enter", pops=1, pushes=2)),
    "PUSH_EXC_INFO": fixed(Micro(Act.HANDLE)),
    "POP_EXCEPT": fixed(Micro(Act.UNHANDLE)),
    "RERAISE": fixed(RERAISE),
    "CHECK_EXC_MATCH": fixed(copy(2), swap(2), event("exception_match", pops=2, results=(BOOL,))),
    "CHECK_EG_MATCH": fixed(event("group_match", pops=2, pushes=2, handles=True)),
    "PREP_RERAISE_STAR": plain("prep_reraise_star", 2, 1),
    # Exception, the one handled before, place of the failure, the bound `__exit__`.
    "WITH_EXCEPT_START": fixed(event("exit", reads=(4, 1), pushes=1)),
    "RETURN_GENERATOR": fixed(event("return_generator", pushes=1)),
    "SEND": fixed(Micro(Act.SEND, ("send",), pops=1, reads=(1,), results=(0,), raises=True, count=1)),
    "END_ASYNC_FOR": fixed(copy(1), _STOPPED, branch(True, skip=2), RERAISE, POP, POP),
    "FOR_ITER": PY310["FOR_ITER"],
}


# ---------------------------------------------------------------- 3.12
def load_attr_3_12(i: Instr) -> tuple[Micro, ...]:
    found = event("getattr", i.value, pops=1, pushes=1)
    return (found, Micro(Act.SPLIT_METHOD)) if i.arg & 1 else (found,)


def load_super_attr(i: Instr) -> tuple[Micro, ...]:
    found = event("super_attr", i.value, i.arg & 2, pops=3, pushes=1)
    return (found, Micro(Act.SPLIT_METHOD)) if i.arg & 1 else (found,)


_STOP_ITERATION = event("is_stop_iteration", pops=1, results=(BOOL,), raises=False)
_STOP_VALUE = event("stop_value", pops=1, pushes=1, raises=False)
_SLICE = on_display(Act.SLICE, "slice", 2, 1, raises=False)
_INTRINSIC_LIST_TO_TUPLE = 6
_REMOVED_IN_3_12 = (
    *_3_11_JUMPS,
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
    "LOAD_FAST_AND_CLEAR": lambda i: (load(i), NULL, store(i)),
    "LOAD_ATTR": load_attr_3_12,
    "LOAD_SUPER_ATTR": load_super_attr,
    "LOAD_LOCALS": plain("load_locals", 0, 1),
    "LOAD_FROM_DICT_OR_GLOBALS": named("load_from_dict_or_globals", 1, 1),
    "LOAD_FROM_DICT_OR_DEREF": of_cell("load_from_dict_or_deref", 1, 1),
    "BINARY_SLICE": fixed(_SLICE, GET_ITEM),
    "STORE_SLICE": fixed(_SLICE, SET_ITEM),
    "CALL_INTRINSIC_1": lambda i: (
        LIST_TO_TUPLE if i.arg == _INTRINSIC_LIST_TO_TUPLE else event("intrinsic_1", i.arg, pops=1, pushes=1),
    ),
    "CALL_INTRINSIC_2": plain("intrinsic_2", 2, 1),
    "RETURN_CONST": lambda i: (push(i.value), Micro(Act.RETURN, ("return",), pops=1)),
    "END_FOR": fixed(POP, POP),
    "END_SEND": fixed(swap(2), POP),
    "SEND": fixed(Micro(Act.SEND, ("send",), pops=1, reads=(1,), results=(0,), raises=True)),
    "FOR_ITER": fixed(Micro(Act.NEXT, ("next",), results=(0,), reads=(1,), raises=True)),
    # If the delegate returned, its value replaces it; any other exception goes on.
    "CLEANUP_THROW": fixed(
        copy(1), _STOP_ITERATION, branch(True, skip=2), RERAISE, _STOP_VALUE, sink(3), POP, POP, push(None), swap(2)
    ),
}

# ---------------------------------------------------------------- 3.13
_BOOL_FLAG = 16  # of COMPARE_OP: the result is wanted as True or False


def compare_3_13(i: Instr) -> tuple[Micro, ...]:
    return (*COMMON["COMPARE_OP"](i), *((TRUTH,) if i.arg & _BOOL_FLAG else ()))


PY313: Table = {
    **{name: recipe for name, recipe in PY312.items() if name not in ("KW_NAMES", "FORMAT_VALUE")},
    "TO_BOOL": fixed(TRUTH),
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

_OF_VERSION: dict[tuple[int, int], Table] = {(3, 10): PY310, (3, 11): PY311, (3, 12): PY312, (3, 13): PY313}
OPERATIONS: Table = COMMON | _OF_VERSION.get(v.PYTHON, {})

# What a handler finds above its stack depth: one exception, or three entries for it and three for the former one.
EXCEPTIONS_ARE_TRIPLES = "SETUP_FINALLY" in OPERATIONS
