"""Programs that do the same instruction by instruction, in whatever order their blocks lie, and some that do not."""

from __future__ import annotations

import pytest

from codes import function_code
from traced import traced_by
from unjit.verifier import Verdict, compare
from unjit.verifier.compare import Comparer
from unjit.verifier.short_cuts.identical import Identities
from unjit.verifier.short_cuts.in_step import InStep


def code(body: str):
    return function_code("def f(a, b, c=None):\n    " + body)


def in_step(one, other) -> bool:
    return InStep(Identities(), same_nested).same(one, other)


def same_nested(one, other) -> bool:
    return Comparer().compare(one, other, nested=True).verdict is not Verdict.DIFFERENT


@pytest.mark.parametrize(
    ("body", "other"),
    [
        ("return g(a if b is None else c)", "return g(c if b is not None else a)"),
        ("return g(a if b in a else c)", "return g(c if b not in a else a)"),
        ("return g(a if b is a else c)", "return g(c if b is not a else a)"),
        ("x = a if a.t else b\n    return g(x)", "x = b if not a.t else a\n    return g(x)"),
        ("if a: g(a)\n    else: h(b)\n    return k(c)", "if not a: h(b)\n    else: g(a)\n    return k(c)"),
        ("if a:\n        g(a)\n        return k(c)\n    return k(c)", "if a: g(a)\n    return k(c)"),
        (
            "for x in a:\n        if x is None: g(x)\n        else: h(x)\n    return b",
            "for x in a:\n        if x is not None: h(x)\n        else: g(x)\n    return b",
        ),
        (
            "try:\n        if a: g(a)\n        else: h(a)\n    except b: k(c)",
            "try:\n        if not a: h(a)\n        else: g(a)\n    except b: k(c)",
        ),
    ],
)
def test_blocks_in_another_order_are_found_the_same(body, other):
    assert in_step(code(body), code(other))
    assert in_step(code(other), code(body))


@pytest.mark.parametrize(
    ("body", "other"),
    [
        ("return g(a if b is None else c)", "return g(a if b is not None else c)"),
        ("return g(a if b is None else c)", "return g(a if not b else c)"),
        ("return g(a if b is c else c)", "return g(a if b is not c else c)"),
        ("return g(a if b in c else c)", "return g(a if b is c else c)"),
        ("if a: g(a)\n    else: h(b)", "if not a: g(a)\n    else: h(b)"),
        ("if a: g(a)\n    return k(c)", "if a: g(a)\n    return k(b)"),
        ("while a: g(a)", "if a: g(a)"),
        ("g(1)", "g(True)"),
        ("g(0.0)", "g(-0.0)"),
        ("try: g(a)\n    except b: h(a)", "g(a)\n    try: pass\n    except b: h(a)"),
        ("try: g(a)\n    except b: h(a)", "try: g(a)\n    except b: h(b)"),
        ("try: g(a)\n    except b: h(a)", "try: g(a)\n    except c: h(a)"),
        ("return lambda: a", "return lambda: b"),
        ("del a", "del b"),
        ("return a < b", "return b < a"),
        ("return a < b", "return a <= b"),
        ("for x in a: g(x)\n    else: h(b)", "for x in a:\n        g(x)\n        h(b)"),
    ],
)
def test_what_only_looks_alike_is_refused(body, other):
    assert not in_step(code(body), code(other))
    assert not in_step(code(other), code(body))
    assert compare(code(body), code(other)).verdict is Verdict.DIFFERENT


def test_jumps_in_a_circle_are_left_to_the_walk():
    assert not in_step(code("while True: pass"), code("g(a)"))


def test_that_two_differ_is_told_without_an_exception():
    """Debuggers stop at what is raised in code that is not installed, if asked to: in the midst of the user's block."""
    raised = []

    def tracer(_frame, event, argument):
        if event == "exception" and argument[0] not in (StopIteration, GeneratorExit):  # no debugger stops at those
            raised.append(argument[0])
        return tracer

    with traced_by(tracer):
        assert not in_step(code("g(a)\n    return b"), code("if a: g(a)\n    return b"))
        assert not in_step(code("try: g(a)\n    except b: h(c)"), code("g(a)"))
    assert not raised
