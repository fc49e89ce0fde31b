"""Displays that never leave the frame are seen through; whatever anyone could tell apart stays different."""

from __future__ import annotations

import dis
from random import Random

import pytest

from codes import function_code
from mutants import mutants
from observed import differ
from random_displays import Writer, spoilt
from unjit.bytecode import versions as v
from unjit.verifier import Verdict, compare
from verifier_displays import OTHER, SAME, verdict_of_stack_code

CANDIDATES = [(name, n) for name, texts in SAME.items() for n in range(1, len(texts))]
HIDDEN = ("_p", "_q", "_s")
WORLDS = 12
SINCE_3_11 = pytest.mark.skipif(not v.PY311, reason="SWAP and COPY came with 3.11")


@pytest.mark.parametrize(("name", "n"), CANDIDATES)
def test_another_way_to_write_it(name, n):
    original, candidate = function_code(SAME[name][0]), function_code(SAME[name][n])
    assert verdict_of_stack_code(original, candidate) is None
    assert verdict_of_stack_code(candidate, original) is None
    assert not differ(original, candidate, WORLDS)
    if not {*HIDDEN} & {*original.co_varnames}:
        assert compare(original, candidate).verdict is not Verdict.DIFFERENT


@pytest.mark.parametrize("name", OTHER)
def test_somebody_could_tell(name):
    original, candidate = map(function_code, OTHER[name])
    assert verdict_of_stack_code(original, candidate)
    assert compare(original, candidate).verdict is Verdict.DIFFERENT


def spoilt_texts(name):
    """Each text of SAME with one place spoilt, if some world can see that."""
    original = function_code(SAME[name][0])
    for text in SAME[name]:
        random = Random(name)
        for spoilt_text in {*(mutant for _, mutant in mutants(text)), *(spoilt(text, random) for _ in range(20))}:
            code = function_code(spoilt_text)
            if code.co_varnames[:2] == ("a", "b") and differ(original, code, WORLDS):
                yield spoilt_text, code


@pytest.mark.parametrize("name", SAME)
def test_every_mutant_is_rejected(name):
    original, count = function_code(SAME[name][0]), 0
    for text, code in spoilt_texts(name):
        count += 1
        assert verdict_of_stack_code(original, code), text
        assert compare(original, code).verdict is Verdict.DIFFERENT, text
    assert count > 20


@pytest.mark.parametrize("start", range(0, 400, 50))
def test_what_is_accepted_cannot_be_told_apart(start):
    accepted = 0
    for seed in range(start, start + 50):
        source, random = Writer(Random(seed)).function(), Random(-seed)
        original = function_code(source)
        for _ in range(6):
            text = spoilt(source, random)
            candidate = function_code(text)
            if verdict_of_stack_code(original, candidate) is None:
                accepted += 1
                assert not differ(original, candidate, WORLDS), f"seed {seed}\n{source}\n\n{text}"
    assert accepted > 20


# ---------------------------------------------------------------- the bytecode that Dynamo writes
def assembled(source: str, *instructions: tuple[str, int]):
    """The function of the text, with other instructions; its constants and names are to be used by index."""
    code = function_code(source)
    units = [bytes((dis.opmap[op], arg)) + bytes(2 * v.CACHES.get(op, 0)) for op, arg in instructions]
    return code.replace(co_code=b"".join(units), co_stacksize=20, co_consts=(None, 0, 1, -1, 2))


# Names: g. Constants: None, 0, 1, -1. The lists that hold the frame's values, then those of the call.
SOURCE = "def f(a, b):\n    g(0, 1, -1, 2)\n    return g"
NULL_FIRST = [("PUSH_NULL", 0), ("LOAD_GLOBAL", 0)]
CALLEE = NULL_FIRST if v.PYTHON < (3, 13) else NULL_FIRST[::-1]
SUBSCRIPT = ("BINARY_OP", v.SUBSCRIPT) if v.PY314 else ("BINARY_SUBSCR", 0)
NO_NAMES = [("PUSH_NULL", 0)] if v.PY314 else []
ZERO, ONE = ("LOAD_CONST", 1), ("LOAD_CONST", 2)
JUGGLED = (
    ("RESUME", 0), *CALLEE, ("BUILD_LIST", 0), ("LOAD_FAST", 0), ("LOAD_FAST", 1), ("BUILD_LIST", 2),
    ("COPY", 1), ZERO, SUBSCRIPT, ("SWAP", 2), ("COPY", 1), ONE, ("LOAD_CONST", 0), ("BUILD_SLICE", 2),
    SUBSCRIPT, ("SWAP", 2), ("POP_TOP", 0), ("BUILD_LIST", 0), ("LIST_EXTEND", 1), ("SWAP", 2),
    ("LIST_APPEND", 1), ("COPY", 1), ("LOAD_CONST", 3), SUBSCRIPT, ("COPY", 2), ZERO, SUBSCRIPT,
    ("SWAP", 3), ("POP_TOP", 0), ("BUILD_LIST", 3), *NO_NAMES, ("CALL_FUNCTION_EX", 0), ("RETURN_VALUE", 0),
)  # fmt: skip


@SINCE_3_11
def test_lists_that_dynamo_juggles():
    original = assembled(SOURCE, *JUGGLED)
    candidate = function_code("def f(a, b):\n    return g([], b, a)")
    assert compare(original, candidate).verdict is Verdict.EQUIVALENT
    for text in ("[], a, b", "[], b", "[], b, a, b", "[a], b, a", "(), b, a"):
        other = function_code(f"def f(a, b):\n    return g({text})")
        assert compare(original, other).verdict is Verdict.DIFFERENT


@SINCE_3_11
@pytest.mark.parametrize("place", range(len(JUGGLED)))
def test_lists_that_somebody_juggles_otherwise(place):
    """Every instruction with another argument: what does not end in the same call is not the same."""
    op, arg = JUGGLED[place]
    if op in ("RESUME", "POP_TOP", "LOAD_GLOBAL", "PUSH_NULL", "RETURN_VALUE", SUBSCRIPT[0], "CALL_FUNCTION_EX"):
        return
    candidate = function_code("def f(a, b):\n    return g([], b, a)")
    other = arg + 1 if op.startswith("LIST") else (1, 2, 1, 1)[arg] if op == "LOAD_CONST" else abs(arg - 1)
    wrong = assembled(SOURCE, *JUGGLED[:place], (op, other), *JUGGLED[place + 1 :])
    assert compare(wrong, candidate).verdict is Verdict.DIFFERENT


@pytest.mark.parametrize("body", ["_l = [*_l, *_l]", "_l[0:0] = _l", "_t = (_t, _t)", "_l = [_l]", "_l = {'k': _l}"])
def test_displays_that_grow_without_end(body):
    text = f"def f(a, b):\n    _l = [a]\n    _t = ()\n    while True:\n        {body}"
    assert compare(function_code("def f(a, b):\n    while True:\n        pass"), function_code(text)).difference


def test_a_loop_that_makes_a_list_each_time():
    text = "def f(a, b):\n    while True:\n        _l = [a]"
    answer = compare(function_code("def f(a, b):\n    while True:\n        pass"), function_code(text))
    assert answer.verdict is Verdict.EQUIVALENT
