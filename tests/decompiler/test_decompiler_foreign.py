"""Bytecode that no compiler made: each sample is never opaque, and what it is recompiled to does the same."""

from __future__ import annotations

import dis
import marshal
import math
import re
import struct
from dataclasses import replace
from types import CodeType, FunctionType

import pytest

from codes import function_code
from foreign import assembled, offset_of, prefixed, replaced, start_of
from recovered import check
from unjit.bytecode import BytecodeError, decode
from unjit.bytecode import versions as v
from unjit.decompiler import Decompiled, Verdict, decompile
from unjit.decompiler.lift.shapes.inlined_comprehensions import find_inlined

SINCE_3_11 = pytest.mark.skipif(not v.PY311, reason="these instructions came with 3.11")
UNTIL_3_11 = pytest.mark.skipif(v.PY312, reason="on 3.12 LOAD_FAST may not meet an unbound local: it crashes")


CLOSURE = """
def f(a, b):
    def inner():
        return a, b
    g(1)
    return inner
"""


def cells_returned(source: str = CLOSURE) -> CodeType:
    """`f` with its nested function cut out: it gives the cells themselves, as callers of resume functions."""
    code = function_code(source)
    instrs = [i for i in dis.get_instructions(code) if i.opname != "CACHE"]
    tuple_at = next(k for k, i in enumerate(instrs) if i.opname == "BUILD_TUPLE")
    made, stop = instrs[tuple_at].offset + 2, offset_of(code, "STORE_FAST")
    return replaced(code, made, *[("NOP", 0)] * ((stop - made) // 2))


def test_cells_as_values():
    answer = check(cells_returned())
    assert re.findall(r"cell_of\(lambda ?: ([ab])\)", answer.source) == ["a", "b"]
    assert answer.synthetic.helpers == 2


def test_cells_as_values_in_their_order():
    answer = check(cells_returned(CLOSURE.replace("(a, b)", "(b, a)").replace("return a, b", "return b, a")))
    assert answer.source.count("cell_of(") == 2


def test_a_free_variable_that_nothing_mentions():
    code = function_code("def f(a):\n    def inner(b):\n        g(b)\n        return a\n    return inner", "inner")
    load = next(i for i in dis.get_instructions(code) if i.opname == "LOAD_DEREF")
    check(replaced(code, load.offset, ("LOAD_FAST", 0)))


def test_a_cell_that_nothing_mentions():
    code = function_code("def f(a):\n    x = g(a)\n    return lambda: x")
    check(replaced(code, offset_of(code, "STORE_DEREF"), ("POP_TOP", 0), ("LOAD_CONST", 0), ("RETURN_VALUE", 0)))


def test_a_loop_over_an_iterator():
    code = function_code("def f(a):\n    for x in a:\n        g(x)\n    return a")
    as_it_is = "NOP" if v.SLOTS_OF_ITERATOR == 1 else "PUSH_NULL"
    check(replaced(code, offset_of(code, "GET_ITER"), (as_it_is, 0)), "iterate(a)")


@pytest.mark.skipif(not v.PY312 or v.PY315, reason="a comprehension is no part of this code, or takes no iterator")
@pytest.mark.parametrize("made", ["[g(x) for x in a]", "{x: b for x in a if x}"])
def test_a_comprehension_over_an_iterator(made):
    code = function_code(f"def f(a, b):\n    y = {made}\n    return y, b")
    check(replaced(code, offset_of(code, "GET_ITER"), ("NOP", 0)), "in iterate(a)")


@pytest.mark.skipif(not v.PY312 or v.PY315, reason="a comprehension is no part of this code, or takes no iterator")
@pytest.mark.parametrize("asks", [False, True])
def test_a_comprehension_may_ask_its_iterator_for_its_own(asks):
    """It does where 3.13.1 or later of 3.13 compiled it; code is read the same, whichever this Python's compiler is."""
    instrs = [i for i in decode(function_code("def f(a):\n    return [g(x) for x in a]")) if i.op != "NOP"]
    loop = next(k for k, one in enumerate(instrs) if one.op == "FOR_ITER")
    already = instrs[loop - 1].op == "GET_ITER"
    at, taken = (loop - 1, instrs[loop - 1 : loop]) if already else (loop, [])
    put = [replace(instrs[loop], op="GET_ITER", arg=0, target=None)] if asks else []
    shift = len(put) - len(taken)
    after = [replace(one, target=one.target and one.target + shift) for one in instrs[at + len(taken) :]]
    ((start, found),) = find_inlined((*instrs[:at], *put, *after)).items()
    assert [instrs[start].op, after[found.after - at - len(put)].op] == ["BUILD_LIST", "SWAP"]


SECOND_SLOT = [("PUSH_NULL", 0)] * (v.SLOTS_OF_ITERATOR - 1)  # of an iterator on the stack


def loop_entered_in_its_body() -> Decompiled:
    code = function_code("def f(it, a, b):\n    for x in it:\n        g(x)\n        h(b)\n    return a")
    return check(prefixed(code, ("LOAD_FAST", 0), *SECOND_SLOT, at=offset_of(code, "LOAD_GLOBAL", 1)))


def test_a_loop_entered_in_its_body_needs_no_selector():
    assert loop_entered_in_its_body().synthetic.selectors == 0


def test_a_loop_over_the_rest_of_an_iterator():
    """Entered in the middle of a loop's body, with the iterator as an argument."""
    assert "iterate(" in loop_entered_in_its_body().source


@pytest.mark.xfail(v.PY315, reason="an outer loop's place in its iterator has no place in source", strict=True)
def test_both_loops_entered_in_the_inner_one():
    """The variables of the loops are arguments: from 3.12 on, loading an unbound one without a check crashes."""
    source = "def f(o, i, a, x, y):\n    for x in o:\n        for y in i:\n            g(y)\n            if h(y):\n"
    code = function_code(source + "                break\n            k(y)\n        m(x)\n    return a")
    outer, inner = ([("LOAD_FAST", k), *SECOND_SLOT] for k in (0, 1))
    check(prefixed(code, *outer, *inner, at=offset_of(code, "LOAD_GLOBAL", 2)))


class Odd:
    """An object that has no literal."""

    def __call__(self) -> None:
        raise AssertionError("decompiling calls nothing")

    def __eq__(self, other: object) -> bool:
        raise AssertionError("decompiling compares nothing")

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    "value", [Odd(), len, Odd, [1], {}, type(None), (1, Odd()), NotImplemented], ids=lambda value: type(value).__name__
)
def test_constants_without_a_literal(value):
    code = function_code("def f():\n    return 'here'")
    code = code.replace(co_consts=tuple(value if c == "here" else c for c in code.co_consts))
    answer = decompile(code)
    assert answer.verdict is not Verdict.OPAQUE, answer.reason
    found = [c for c in answer.recompile().co_consts if type(c) is type(value)]
    assert any(c is value or (isinstance(value, tuple) and c[1] is value[1]) for c in found)


PARTS = (0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan, -math.nan)
ODD_NAN = struct.unpack("<d", b"\1\2\0\0\0\0\xf8\x7f")[0]  # with bits that no arithmetic makes


@pytest.mark.parametrize(
    "value",
    [*PARTS, ODD_NAN, *(complex(a, b) for a in PARTS for b in PARTS), (1, -math.nan), 2.0**53, 1e300],
    ids=repr,
)
def test_numbers_to_the_last_bit(value):
    code = function_code("def f():\n    return 'here'")
    answer = decompile(code.replace(co_consts=tuple(value if c == "here" else c for c in code.co_consts)))
    assert answer.verdict is not Verdict.OPAQUE, answer.reason
    returned = FunctionType(answer.recompile(), {})()
    assert marshal.dumps(returned) == marshal.dumps(value)


def test_an_int_of_more_digits_than_python_writes():
    code = function_code(f"def f():\n    return -0x{'7' * 4000}")
    assert check(code, "return -0x777").verdict is Verdict.IDENTICAL


def test_equal_constants_that_are_not_the_same_object():
    one, other = [1], [1]
    code = function_code("def f():\n    return g('x', 'y', 'x')")
    code = code.replace(co_consts=tuple(one if c == "x" else other if c == "y" else c for c in code.co_consts))
    made = check(code).recompile()
    assert any(c is one for c in made.co_consts)
    assert any(c is other for c in made.co_consts)


def test_one_list_under_two_names():
    """BUILD_LIST once, stored twice: never two displays."""
    code = function_code("def f(a):\n    x = y = []\n    x.append(a)\n    g(x, y)\n    return x is y")
    answer = check(code)
    assert answer.source.count("[]") == 1


def test_one_list_on_the_stack_several_times():
    code = function_code("def f(a):\n    x = y = [a]\n    return (x, y)")
    copy = ("COPY", 1) if v.PY311 else ("DUP_TOP", 0)
    build = offset_of(code, "BUILD_LIST")
    made = replaced(code, build, ("BUILD_LIST", 1), copy, ("BUILD_TUPLE", 2), ("RETURN_VALUE", 0))
    answer = check(made.replace(co_stacksize=4))
    assert answer.source.count("[a]") == 1


def test_a_display_changed_while_on_the_stack():
    """The list is loaded first, changed by a call, and only then used."""
    code = function_code("def f(a):\n    x = []\n    return g(x, h(x), x)")
    check(code)


@SINCE_3_11
@pytest.mark.skipif(v.PY312, reason="the layout overwritten here is 3.11's")
def test_a_with_whose_swallowing_path_goes_elsewhere():
    """As after Dynamo's prologue: an exception that is swallowed raises TypeError instead of going on."""
    code = function_code("def f(a):\n    with a:\n        g(a)\n    return a")
    code = code.replace(co_consts=(*code.co_consts, None))
    popped = [i for i in dis.get_instructions(code) if i.opname == "POP_TOP"]
    after = next(i for i in popped if i.offset > offset_of(code, "WITH_EXCEPT_START"))
    none = len(code.co_consts) - 1
    tail = assembled(
        ("POP_TOP", 0), ("POP_EXCEPT", 0), ("POP_TOP", 0), ("POP_TOP", 0), ("LOAD_CONST", none), ("RAISE_VARARGS", 1)
    )
    check(code.replace(co_code=code.co_code[: after.offset] + tail[: len(code.co_code) - after.offset]))


def test_a_local_stored_without_a_value():
    code = function_code("def f(a, b):\n    g(a)\n    del b\n    return a")
    check(code)


@SINCE_3_11
@UNTIL_3_11
def test_a_local_stored_as_null():
    check(prefixed(function_code("def f(a, b):\n    g(a)\n    return b"), ("PUSH_NULL", 0), ("STORE_FAST", 1)))


def test_a_dead_beginning():
    code = function_code("def f(a, b):\n    g(a)\n    for x in b:\n        h(x)\n    return k(a)")
    answer = check(prefixed(code, at=offset_of(code, "LOAD_GLOBAL", 2)))
    assert "g(a)" not in answer.source
    assert "for " not in answer.source


def test_variables_that_only_dead_code_stores():
    code = function_code("def f(a):\n    x = g(a)\n    y = h(a)\n    return a")
    check(prefixed(code, at=offset_of(code, "STORE_FAST", 1) + 2))


@UNTIL_3_11
def test_an_unbound_local_is_loaded():
    code = function_code("def f(a):\n    x = g(a)\n    return h(x)")
    check(prefixed(code, at=offset_of(code, "STORE_FAST") + 2))


def test_values_pending_while_branching():
    """`t = g(a)`, left on the stack across an if: what torch 2.15 does."""
    source = "def f(t, a, b):\n    if a:\n        g(a)\n    else:\n        h(b)\n    return k(a)"
    code = function_code(source)
    kept = prefixed(code, ("LOAD_FAST", 0))
    returned = kept.co_code.replace(assembled(("RETURN_VALUE", 0)), assembled(("BUILD_TUPLE", 2), ("RETURN_VALUE", 0)))
    if not v.PY311:
        pytest.skip("jumps in the sample are absolute")
    check(kept.replace(co_code=returned))


def test_a_value_chosen_by_a_branch_under_pending_values():
    check(function_code("def f(a, b, c):\n    return g(a, b if c else h(a), [c, a and b])"))


@pytest.mark.parametrize(
    "name",
    [
        "class",
        "None",
        "__debug__",
        "1x",
        "a b",
        "<lambda>",
        ".0",
        "x.y",
        "",
        "ä-ö",
        "def f():",
        "\n",
        "_",
        "f",
        "print",
    ],
)
def test_names_that_are_no_identifiers(name):
    code = function_code("def f(p, q):\n    x = g(p)\n    return h(x, q)")
    check(code.replace(co_varnames=(name, *code.co_varnames[1:])))
    check(code.replace(co_varnames=(*code.co_varnames[:2], name)))
    answer = decompile(code.replace(co_name=name))
    assert answer.verdict is not Verdict.OPAQUE, answer.reason
    assert answer.recompile().co_name == name
    compile(answer.source, "<answer>", "exec")


@pytest.mark.parametrize("name", ["class", "a b", "<lambda>", "\n", "", "\N{LATIN SMALL LIGATURE FI}"])
def test_global_and_attribute_names_that_are_no_identifiers(name):
    """As of the parts of a module that is made of a dict, which Dynamo reads by their names."""
    code = function_code("def f(p):\n    p.x = g(p).x\n    del p.x\n    return p.a_b")
    assert f"stands for the name {name!r}" in check(code.replace(co_names=("g", name, "a_b"))).source
    assert f"stands for the name {name!r}" in check(code.replace(co_names=(name, "x", "a_b"))).source


@pytest.mark.parametrize("name", ["class", "a b", "\N{LATIN SMALL LIGATURE FI}"])
def test_stored_globals_that_are_no_identifiers(name):
    code = function_code("def f(p):\n    global x\n    x = p\n    x += 1\n    del x")
    assert "    global _" in check(code.replace(co_names=(name,))).source


@pytest.mark.parametrize("helper", ["cell_of", "entered", "iterate", "get_iter", "list_append", "slice_of", "spread"])
def test_a_users_own_function_with_a_helpers_name(helper):
    code = function_code(f"def f(a, b):\n    for x in {helper}(a):\n        {helper}(x, b)\n    return {helper}")
    assert decompile(code).verdict is not Verdict.OPAQUE


def test_two_parameters_whose_names_look_alike_once_printable():
    code = function_code("def f(p, q):\n    return g(p, q)")
    check(code.replace(co_varnames=("a b", "a-b")))


def test_one_name_for_two_locals():
    """Names of locals need not differ: a slot is a slot."""
    code = function_code("def f(p, q):\n    return g(p, q)")
    answer = decompile(code.replace(co_varnames=("p", "p")))
    assert answer.verdict is Verdict.OPAQUE or answer.recompile().co_argcount == 2


def test_a_name_twice_does_not_shift_the_names_after_it():
    code = function_code("def f(p, q, r):\n    return r")
    (load,) = [i for i in decode(code.replace(co_varnames=("p", "p", "r"))) if i.op == "LOAD_FAST"]
    assert load.value == "r"


def test_a_jump_onto_the_very_next_instruction():
    code = function_code("def f(a):\n    g(a)\n    return a")
    check(prefixed(code, ("JUMP_FORWARD", 0), ("NOP", 0), ("JUMP_FORWARD", 0)))


def test_swapped_and_copied_values():
    if not v.PY311:
        pytest.skip("SWAP and COPY came with 3.11")
    code = function_code("def f(a, b):\n    return a")
    load = [("LOAD_FAST", 0), ("LOAD_FAST", 1), ("SWAP", 2), ("COPY", 2), ("SWAP", 3), ("BUILD_TUPLE", 3)]
    check(prefixed(code, *load, ("RETURN_VALUE", 0)))


def test_an_infinite_loop_of_nothing():
    code = function_code("def f(a):\n    while True:\n        g(a)")
    check(code)


def test_a_generator_entered_after_its_first_yield():
    code = function_code("def f(a):\n    yield g(a)\n    yield h(a)")
    resumed = offset_of(code, "LOAD_GLOBAL", 1)
    answer = check(prefixed(code, at=resumed))
    assert "g(a)" not in answer.source


def test_a_try_entered_in_its_body():
    code = function_code(
        "def f(a, b):\n    try:\n        g(a)\n        h(b)\n    except KeyError:\n        k(a)\n    return b"
    )
    if not v.PY311:
        pytest.skip("the block that protects the body would not be set up")
    check(prefixed(code, at=offset_of(code, "LOAD_GLOBAL", 1)))


def test_two_entries_into_one_protected_region():
    """The original body after a branch that enters it at either of two statements."""
    if not v.PY311:
        pytest.skip("the block that protects the body would not be set up")
    source = "def f(a, b):\n    try:\n        g(a)\n        h(b)\n    except KeyError:\n        k(a)\n    return b"
    code = function_code(source)
    later = offset_of(code, "LOAD_GLOBAL", 1) - start_of(code)
    jump = "POP_JUMP_FORWARD_IF_TRUE" if "POP_JUMP_FORWARD_IF_TRUE" in dis.opmap else "POP_JUMP_IF_TRUE"
    test = [("LOAD_FAST", 0)] + ([("TO_BOOL", 0)] if v.PY313 else [])
    answer = check(prefixed(code, *test, (jump, later // 2)))
    assert answer.source.count("try:") == 1
    assert answer.synthetic.selectors == 0


def test_a_jump_between_a_prefix_and_its_operation_is_refused():
    """There the operation would have the low byte of its argument only."""
    code = function_code("def f(a):\n    x, *y, z = a\n    return g(x, y)")
    unpack = offset_of(code, "UNPACK_EX")
    entered = prefixed(code, ("LOAD_FAST", 0), at=unpack)
    with pytest.raises(BytecodeError, match="where no instruction starts"):
        decompile(entered)


def test_a_dict_whose_keys_are_computed():
    if "BUILD_CONST_KEY_MAP" not in dis.opmap:
        pytest.skip("there is no such instruction")
    code = function_code("def f(a, b):\n    return {'x': a, 'y': b}")
    keys = next(i for i in dis.get_instructions(code) if i.argval == ("x", "y"))
    decompile(replaced(code, keys.offset, ("LOAD_FAST", 0)))


def test_an_augmented_operator_whose_operand_came_from_elsewhere():
    code = function_code("def f(a, b):\n    a += g(b)\n    return a")
    load = next(i for i in dis.get_instructions(code) if i.argval == "a")
    check(replaced(code, load.offset, ("LOAD_FAST", 1)))
