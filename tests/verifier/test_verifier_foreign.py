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


@pytest.mark.parametrize("op", ["POP_TOP", "RETURN_VALUE"])
def test_a_stack_that_is_too_short_proves_nothing(op):
    code = function_code("def f(a):\n    return a")
    short = inserted(code, offset_of(code, "LOAD_FAST"), (op, 0))
    assert compare(short, code).verdict is Verdict.DIFFERENT


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
