"""Straight code and loops, run by each side alone: what is found the same there, the walk finds the same too."""

from __future__ import annotations

import pytest

from codes import function_code
from unjit.bytecode import versions as v
from unjit.verifier import Verdict, compare
from unjit.verifier.compare import Comparer
from unjit.verifier.short_cuts.identical import Identities
from unjit.verifier.short_cuts.in_step import InStep
from unjit.verifier.short_cuts.strands import Strands
from verifier_displays import OTHER as OTHER_DISPLAYS
from verifier_displays import SAME as SAME_DISPLAYS
from verifier_pairs import PAIRS, TRAPS


def alike(one, other) -> bool:
    return Strands(InStep(Identities(), same_nested)).same(one, other)


def same_nested(one, other) -> bool:
    return Comparer().compare(one, other, nested=True).verdict is not Verdict.DIFFERENT


def walked(one, other) -> Verdict:
    return Comparer(trust_identity=False).compare(one, other, nested=False).verdict


SAME = [
    ("return g(a.x, b[0])", "_t = g\n    _u = a.x\n    return _t(_u, b[0])"),
    ("c = [a, b]\n    g(c)\n    return c", "_t = [0, b]\n    _t[0] = a\n    c = _t\n    g(_t)\n    return c"),
    ("p = a.p\n    for x in b: g(x)\n    h(p)", "p = _t = a.p\n    for x in b: g(x)\n    h(_t)"),
    ("for x in b: g(x)\n    return a", "_t = a\n    for x in b: g(x)\n    return _t"),
    ("for x in b:\n        if x: g(x)\n    return a", "_t = a\n    for x in b:\n        if x: g(x)\n    return _t"),
    ("for x in a:\n        for y in x: g(y)", "_t = a\n    for x in _t:\n        for y in x: g(y)"),
    ("c = g()\n    return c if a else b", "_t = g()\n    c = _t\n    if a: return _t\n    return b"),
    ("x = lambda: a\n    return g(x)", "_t = x = lambda: a\n    return g(_t)"),
]
OTHER = [
    ("return g(a.x, b[0])", "_t = g\n    _u = b[0]\n    return _t(a.x, _u)"),
    ("c = [a, b]\n    g(c)\n    return c", "c = [a, b]\n    g(c)\n    return [a, b]"),
    ("c = [a]\n    g(c)\n    c[0] = b\n    return c", "c = [a]\n    g(c)\n    c = [b]\n    return c"),
    ("c = d = [a]\n    return g(c, d)", "c = [a]\n    d = [a]\n    return g(c, d)"),
    ("c = a\n    g(b)\n    c = b\n    return g(c)", "c = a\n    c = b\n    g(b)\n    return g(c)"),
    ("for x in b: g(x)\n    return a", "_t = a\n    for x in b:\n        g(x)\n        _t = x\n    return _t"),
    ("for x in b: g(x, a)", "_t = a\n    for x in b:\n        g(x, _t)\n        _t = x"),
    ("for x in b: g(x, a)", "for x in b:\n        g(x, a)\n        a = x"),
    ("x = 1\n    for x in b: g(a)\n    return x", "x = 1\n    for x in b: g(a)\n    return 1"),
    ("for x in b: g(x)\n    return x", "_t = 0\n    for x in b:\n        g(x)\n        _t = x\n    return _t"),
    ("c = [a]\n    for x in b: g(x)\n    h(c)", "c = [a]\n    for x in b:\n        g(x)\n        c[0] = x\n    h(c)"),
    ("for x in b: g(x)\n    return h(a)", "for x in b: g(x)\n    else: g(x)\n    return h(a)"),
    ("c = g()\n    return c if a else b", "_t = g()\n    c = _t\n    if a: return b\n    return _t"),
    ("c = g()\n    return a if c is None else b", "c = g()\n    _t = c\n    return a if _t is not None else b"),
    ("c = g()\n    return locals()", "c = _t = g()\n    return locals()"),
    ("c = g()\n    if a: return locals()", "c = _t = g()\n    if a: return locals()"),
    ("x = lambda: a\n    return g(x)", "_t = x = lambda: b\n    return g(_t)"),
    ("for x in b: g(1 == 2)", "_t = _u = [a]\n    for x in b:\n        g(_u is _t)\n        _t = x"),
    (
        "for x in b:\n        if 1 == 2: g()",
        "_t = _u = [a]\n    for x in b:\n        if _u is _t: g()\n        _t = x",
    ),
    ("c = g()\n    return builtins.locals()", "c = _t = g()\n    return builtins.locals()"),
    ("c = g()\n    return sys._getframe().f_locals", "c = _t = g()\n    return sys._getframe().f_locals"),
]


def code(body: str):
    return function_code("def f(a, b):\n    " + body)


@pytest.mark.parametrize(("body", "other"), SAME)
def test_the_same(body, other):
    one, two = code(body), code(other)
    assert alike(one, two) or (v.PY315 and "for x in" in body)
    assert walked(one, two) is Verdict.EQUIVALENT


@pytest.mark.parametrize(("body", "other"), OTHER)
def test_another_is_refused(body, other):
    one, two = code(body), code(other)
    assert not alike(one, two)
    assert not alike(two, one)
    assert compare(one, two).verdict is Verdict.DIFFERENT


@pytest.mark.parametrize("texts", [*PAIRS.values(), *SAME_DISPLAYS.values(), *OTHER_DISPLAYS.values(), *TRAPS.values()])
def test_never_more_than_the_walk(texts):
    original, *candidates = map(function_code, texts)
    for candidate in candidates:
        if alike(original, candidate):
            assert walked(original, candidate) is Verdict.EQUIVALENT
