"""Ends that two programs share: the walk stops where both have come to them in the same state, and only there."""

from __future__ import annotations

import pytest

from codes import function_code
from unjit.verifier import Verdict, compare
from unjit.verifier.compare import Comparer
from unjit.verifier.short_cuts.identical import Identities
from unjit.verifier.walk.tails import common_tails

END = "\n    for x in b:\n        g(x, a)\n        h(x)\n    return g(a, b, c)\n"


def code(start: str, end: str = END):
    return function_code(f"def f(a, b, c):\n    {start}{end}")


def has_tail(one, other) -> bool:
    return common_tails(Identities(), one, other) is not None


@pytest.mark.parametrize(
    ("start", "other"),
    [
        ("c = a if b else c", "c = c if not b else a"),
        ("c = a if b is None else b", "c = b if b is not None else a"),
        ("g(a, b)", "(t := g)(a, b)"),
    ],
)
def test_programs_that_differ_only_before_it_are_proved(start, other):
    one, two = code(start), code(other)
    assert has_tail(one, two)
    assert compare(one, two).verdict is Verdict.EQUIVALENT


@pytest.mark.parametrize(
    ("start", "other"),
    [
        ("c = a", "c = b"),
        ("a = b", "b = a"),
        ("c = [a]", "c = [b]"),
        ("c = d = [a]", "c = [a]; d = [a]"),
        ("x = a.x", "y = a.x"),
        ("pass", "del c"),
        ("c = 1", "c = True"),
        ("try:\n        g(a)\n    except g: c = 1", "try:\n        g(a)\n    except g: c = 2"),
        ("if a: c = b", "if not a: c = b"),
    ],
)
def test_another_state_there_is_refused(start, other):
    one, two = code(start), code(other)
    assert compare(one, two).verdict is Verdict.DIFFERENT
    assert compare(two, one).verdict is Verdict.DIFFERENT


def test_states_that_are_the_same_again_further_on_are_still_proved():
    """After the first difference the tail stores `c` anew: what it held when the tail began does not count."""
    end = "\n    c = a" + END
    one, two = code("c = (lambda: 1)", end), code("t = (lambda: 1); c = t", end)
    assert compare(one, two).verdict is Verdict.EQUIVALENT


def test_an_end_that_leads_back_out_of_it_is_none():
    loop = (
        "while a:\n        a = g(a, {})\n        b = h(b)\n        c = h(b, c)\n        h(b, c, a)\n        g(c, c, c)"
    )
    one, two = code(loop.format("b"), "\n"), code(loop.format("c"), "\n")
    assert not has_tail(one, two)
    assert compare(one, two).verdict is Verdict.DIFFERENT


def test_an_end_that_shows_the_locals_is_none():
    end = "\n    g(1, 2, 3)\n    g(1, 2, 3)\n    return locals()\n"
    one, two = code("g(a)", end), code("t = g; t(a)", end)
    assert not has_tail(one, two)
    assert compare(one, two).verdict is Verdict.DIFFERENT


def test_handlers_count():
    end = "\n    g(a, b, c)\n    g(a, b, c)\n    return g(a, b, c)\n"
    body = "\n        g(a, b, c)\n        g(a, b, c)\n        g(a, b, c)\n    except {}: g(b)"
    one, two = (
        code(f"try:\n        {start}{body.format(kind)}", end) for start, kind in (("g(a)", "A"), ("(t := g)(a)", "A"))
    )
    assert compare(one, two).verdict is Verdict.EQUIVALENT
    other = code(f"try:\n        (t := g)(a){body.format('B')}", end)
    assert compare(one, other).verdict is Verdict.DIFFERENT


def test_what_is_told_to_be_the_same_is_walked_when_asked():
    one, two = code("c = a if b else c"), code("c = c if not b else a")
    assert Comparer(trust_identity=False).compare(one, two, nested=False).verdict is Verdict.EQUIVALENT
