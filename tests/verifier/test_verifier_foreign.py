"""Bytecode that no compiler of Python source writes, as Dynamo's."""

from __future__ import annotations

import dis
from types import CodeType

import pytest

from codes import function_code
from unjit.bytecode import versions as v
from unjit.verifier import Verdict, compare

SINCE_3_11 = pytest.mark.skipif(not v.PY311, reason="these instructions came with 3.11")


def units(*instructions: tuple[str, int]) -> bytes:
    return b"".join(bytes((dis.opmap[op], arg)) + bytes(2 * v.CACHES.get(op, 0)) for op, arg in instructions)


def inserted(code: CodeType, offset: int, *instructions: tuple[str, int]) -> CodeType:
    """The code with more instructions at an offset that nothing jumps across."""
    return code.replace(co_code=code.co_code[:offset] + units(*instructions) + code.co_code[offset:])


def offset_of(code: CodeType, op: str) -> int:
    return next(i.offset for i in dis.get_instructions(code) if v.SAME_AS.get(i.opname, i.opname) == op)


def offset_of_last_load(code: CodeType) -> int:
    return max(i.offset for i in dis.get_instructions(code) if v.SAME_AS.get(i.opname, i.opname) == "LOAD_FAST")


def told_apart(one: CodeType, other: CodeType) -> bool:
    return compare(one, other).verdict is compare(other, one).verdict is Verdict.DIFFERENT


STRAIGHT = "def f(a, b):\n    g(a)\n    return b"


def test_dead_instructions_do_not_count():
    code = function_code(STRAIGHT)
    offset = offset_of(code, "LOAD_GLOBAL")
    dead = [("LOAD_FAST", 1), ("POP_TOP", 0)] * 3
    skip = len(units(*dead)) // (2 if "JUMP_BACKWARD" in dis.opmap or v.PYTHON == (3, 10) else 1)
    prefixed = inserted(code, offset, ("JUMP_FORWARD", skip), *dead)
    assert compare(prefixed, code).verdict is Verdict.IDENTICAL
    assert compare(code, prefixed).verdict is Verdict.IDENTICAL


def test_values_may_stay_on_the_stack():
    code = function_code(STRAIGHT)
    kept = inserted(code, offset_of(code, "LOAD_GLOBAL"), ("LOAD_FAST", 1))  # returned in the end
    last = offset_of_last_load(kept)
    kept = kept.replace(co_code=kept.co_code[:last] + kept.co_code[last + 2 :])
    kept = kept.replace(co_stacksize=kept.co_stacksize + 1)
    assert kept.co_code != code.co_code
    assert compare(kept, code).verdict is Verdict.EQUIVALENT
    assert compare(kept, function_code(STRAIGHT.replace("return b", "return a"))).verdict is Verdict.DIFFERENT


@SINCE_3_11
def test_null_unbinds_a_local():
    code = function_code("def f(a, b):\n    g(a)\n    return a")
    unbound = inserted(code, offset_of(code, "LOAD_GLOBAL"), ("PUSH_NULL", 0), ("STORE_FAST", 1))
    assert compare(unbound, code).verdict is Verdict.DIFFERENT
    for text in ("b = None\n    del b", "del b"):
        candidate = function_code(f"def f(a, b):\n    {text}\n    g(a)\n    return a")
        assert compare(unbound, candidate).verdict is Verdict.EQUIVALENT


@SINCE_3_11
def test_a_result_left_without_its_handler():
    """An exception that stays the handled one after the function has left its handler."""
    source = "def f(a):\n    try:\n        g(a)\n    except KeyError:\n        pass\n    return h(a)"
    code = function_code(source)
    offset = offset_of(code, "POP_EXCEPT")
    spoilt = bytearray(code.co_code)
    spoilt[offset : offset + 2] = units(("POP_TOP", 0))
    answer = compare(code.replace(co_code=bytes(spoilt)), code)
    assert answer.verdict is Verdict.DIFFERENT


@pytest.mark.parametrize("op", ["POP_TOP", "RETURN_VALUE", "IS_OP", "COMPARE_OP"])
def test_a_stack_that_is_too_short_proves_nothing(op):
    code = function_code("def f(a):\n    return a")
    short = inserted(code, offset_of(code, "LOAD_FAST"), (op, 0))
    assert told_apart(code, short)


TOO_DEEP = [("COPY", 2), ("SWAP", 3)] if v.PY311 else [("DUP_TOP_TWO", 0), ("ROT_FOUR", 0)]


@pytest.mark.parametrize(("op", "arg"), TOO_DEEP)
def test_what_lies_below_the_stack_is_not_its_top(op, arg):
    code = function_code("def f(a):\n    return a")
    assert told_apart(code, inserted(code, offset_of(code, "RETURN_VALUE"), (op, arg)))


def test_bytes_that_are_no_code_prove_nothing():
    code = function_code("def f(a):\n    return a")
    cut = code.replace(co_code=units(("EXTENDED_ARG", 0)))
    answer = compare(cut, code)
    assert answer.verdict is Verdict.DIFFERENT
    assert "cannot be read" in answer.difference


def test_two_locals_of_one_name():
    """What lies under a name is compared: code in which two places have one is refused, not mistaken for other code."""
    code = function_code("def f(p):\n    x = p.a\n    y = p.b\n    del y\n    return x")
    twice = code.replace(co_varnames=("p", "x", "x"))
    for candidate in (code, twice.replace(co_name="g")):
        assert "one name" in compare(twice, candidate).difference


# ---------------------------------------------------------------- what no compiler wants of instructions
def without(code: CodeType, op: str) -> CodeType:
    """The code without the first such instruction, which nothing jumps across."""
    offset = offset_of(code, op)
    return code.replace(co_code=code.co_code[:offset] + code.co_code[offset + len(units((op, 0))) :])


def edited(code: CodeType, op: str, arg: int) -> CodeType:
    """The code with another argument of the first such instruction."""
    changed = bytearray(code.co_code)
    changed[offset_of(code, op) + 1] = arg
    return code.replace(co_code=bytes(changed))


@pytest.mark.skipif(not v.PY313, reason="jumps ask for the truth themselves before 3.13")
@pytest.mark.parametrize("text", ["return not a", "if a: g()", "while a: pass", "return a and b"])
def test_what_is_not_asked_for_its_truth_is_compared_with_true(text):
    """`POP_JUMP_IF_FALSE` jumps on nothing but False."""
    code = function_code(f"def f(a, b):\n    {text}")
    assert told_apart(code, without(code, "TO_BOOL"))


@pytest.mark.skipif(not v.PY313, reason="jumps ask for the truth themselves before 3.13")
def test_tests_for_true_and_for_false_are_no_opposites_of_each_other():
    """Of what is neither, one jumps and the other one does not, or neither does."""
    one, two = [("LOAD_CONST", 0), ("RETURN_VALUE", 0)], [("LOAD_FAST", 1), ("RETURN_VALUE", 0)]
    start, length = [("RESUME", 0), ("LOAD_FAST", 0)], len(units(*one)) // 2
    code = function_code("def f(a, b):\n    return 1").replace(co_consts=(None,))
    if_false = code.replace(co_code=units(*start, ("POP_JUMP_IF_FALSE", length), *one, *two))
    if_true = code.replace(co_code=units(*start, ("POP_JUMP_IF_TRUE", length), *two, *one))
    assert told_apart(if_false, if_true)


@pytest.mark.parametrize("op", ["IS_OP", "CONTAINS_OP"])
@pytest.mark.parametrize("text", ["return {}", "if {}: g()", "while {}: g()"])
def test_is_and_in_are_true_with_any_other_argument(op, text):
    code = function_code(f"def f(a, b):\n    {text.format('a is b' if op == 'IS_OP' else 'a in b')}")
    assert told_apart(code, edited(code, op, 2))


@SINCE_3_11
def test_an_exception_that_is_handled_without_a_handler():
    code = function_code(STRAIGHT)
    handled = [("LOAD_FAST", 0), ("PUSH_EXC_INFO", 0), ("POP_TOP", 0), ("POP_TOP", 0)]
    assert told_apart(code, inserted(code, offset_of(code, "LOAD_GLOBAL"), *handled))


@SINCE_3_11
def test_the_place_of_a_failure_is_read_where_it_lies():
    """`RERAISE 1` raises something else where there is no such place below the exception."""
    code = function_code("def f(a):\n    try:\n        g(a)\n    except KeyError:\n        pass\n    return h(a)")
    assert told_apart(code, edited(code, "RERAISE", 1))


@SINCE_3_11
def test_a_value_that_is_tested_for_ever_may_change_its_mind():
    """It is not the same as going on for ever after one test."""
    asks = [("TO_BOOL", 0)] if v.PY313 else []
    leaves = [("POP_JUMP_IF_FALSE" if v.PY312 else "POP_JUMP_FORWARD_IF_FALSE", 1)]
    loop = [("COPY", 1), *asks, *leaves]
    length = len(units(*loop, ("JUMP_BACKWARD", 0))) // 2
    leaves[0] = (leaves[0][0], len(units(("JUMP_BACKWARD", 0))) // 2)
    ends = [("POP_TOP", 0), ("LOAD_CONST", 0), ("RETURN_VALUE", 0)]
    every = [("RESUME", 0), ("LOAD_FAST", 0), ("COPY", 1), *asks, *leaves, ("JUMP_BACKWARD", length), *ends]
    code = function_code("def f(a):\n    if a:\n        while True: pass")
    asked = code.replace(co_code=units(*every), co_consts=(None,), co_exceptiontable=b"", co_stacksize=3)
    assert told_apart(code, asked)


@SINCE_3_11
def test_cells_of_enclosing_functions_have_to_be_fetched():
    code = function_code("def f():\n    x = 1\n    def g(): return x\n    return g", "g")
    assert told_apart(code, without(code, "COPY_FREE_VARS"))


@SINCE_3_11
def test_handlers_of_which_it_is_not_known_which_one_is_meant():
    """Which one of two overlapping entries of an exception table counts depends on how long the table is."""
    code = function_code("def f(a):\n    try:\n        g(a)\n    except KeyError:\n        h(a)")
    twice = code.replace(co_exceptiontable=code.co_exceptiontable * 2)
    assert told_apart(code, twice)


@pytest.mark.skipif(not v.PY312, reason="an exhausted loop skips nothing before 3.12")
@pytest.mark.parametrize("text", ["for b in a: g(b)", "for b in a:\n        if b: g(b)\n    h()"])
def test_an_exhausted_loop_skips_what_it_leads_to(text):
    code = function_code(f"def f(a):\n    {text}")
    idle = inserted(code, offset_of(code, "END_FOR"), ("NOP", 0))
    assert told_apart(code, idle)
    moved = inserted(code, offset_of(code, "END_FOR"), ("COPY", 1), ("POP_TOP", 0))
    assert told_apart(code, moved)


@pytest.mark.skipif(v.PYTHON != (3, 13), reason="an exhausted loop skips one instruction, if any")
def test_an_exhausted_loop_skips_two_on_3_13():
    code = function_code("def f(a, b):\n    for c in a: g(c)\n    h(b)")
    after = offset_of(code, "END_FOR") + 2
    assert told_apart(code, inserted(code, after, ("NOP", 0)))
    assert told_apart(code, code.replace(co_code=code.co_code[:after] + code.co_code[after + 2 :]))
