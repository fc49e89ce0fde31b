"""Code that is entered in the midst of a `with`, as if it were resumed there: the exit function comes in as a value."""

from __future__ import annotations

import contextlib

import pytest

from behaviour import assert_same
from codes import function_code
from rerooted import rerooted
from unjit.bytecode import versions as v
from unjit.decompiler import Verdict, decompile
from unjit.decompiler.errors import CannotCompile
from unjit.decompiler.recompiling.helper_calls import without_helper_calls

pytestmark = pytest.mark.skipif(not v.PY311, reason="blocks would not be set up when a function is entered inside them")

NESTED = """
def f(a, g, k):
    with g(a), g(k):
        try:
            g(1)
        except ValueError:
            return g(2)
        for x in a:
            g(x)
    return g(3)
"""

TRIED = """
def f(c, g):
    for w in c:
        try:
            g(w)
        except KeyError:
            g(1)
        g(2)
"""


def entered(source: str, first: str, last: str) -> list:
    """The function entered at each instruction of the lines from the one with `first` to the one with `last`."""
    code = function_code(source)
    lines = source.splitlines()
    begin, end = (next(k for k, line in enumerate(lines, 1) if text in line) for text in (first, last))
    found = {offset: line for start, stop, line in code.co_lines() for offset in range(start, stop, 2)}
    within = [offset for offset, line in found.items() if line is not None and begin <= line <= end]
    return [made for offset, made in rerooted(code) if offset in within]


def test_a_context_entered_before_is_a_with_over_its_exit_function():
    source = "def f(a, g):\n    with g(a):\n        g(1)\n        g(2)\n    return g(3)\n"
    answers = [decompile(code) for code in entered(source, "g(1)", "g(2)")]
    assert answers
    for answer in answers:
        assert answer.verdict is not Verdict.OPAQUE, answer.reason
        assert "    with entered(stacked_0):\n" in answer.source
        assert "    return g(3)\n" in answer.source
        assert answer.synthetic.helpers == 1
        assert not answer.synthetic.temporaries


def test_contexts_around_a_try_and_a_loop():
    codes = entered(NESTED, "g(1)", "g(1)") + entered(NESTED, "for x", "g(x)")
    assert codes
    for code in codes:
        answer = decompile(code)
        assert answer.verdict is not Verdict.OPAQUE, answer.reason
        assert "with entered(stacked_0)" in answer.source  # its second, or its exit function is called at once
        assert_same(code, answer.recompile())


@pytest.mark.parametrize("raised", [None, KeyError, ValueError])
def test_the_source_does_the_same_as_it_is_printed(raised):
    """Not only recompiled, with the call of the helper turned back into nothing."""
    source = "def f(a):\n    with a:\n        a.work()\n        a.work()\n    return 'after'\n"
    code = entered(source, "a.work()", "a.work()")[0]
    answer = decompile(code)
    assert answer.verdict is not Verdict.OPAQUE, answer.reason
    namespace: dict = {}
    exec(answer.source, namespace)

    def run(function) -> tuple:
        events: list = []

        class Worker:
            def work(self) -> None:
                events.append("work")
                if raised is not None:
                    raise raised

        def leave(kind, value, traceback):
            events.append((kind, type(value)))
            return kind is KeyError

        result = None
        with contextlib.suppress(ValueError):
            result = function(Worker(), *[leave] * (code.co_argcount - 1))
        return result, events

    assert run(namespace["f"]) == run(type(run)(answer.recompile(), {})) == run(type(run)(code, {}))


def test_a_loop_entered_in_a_try_has_one_iterator():
    """What lies below the handler is the same on all ways, though no block of the loop is the first to have it."""
    codes = entered(TRIED, "g(w)", "g(w)")
    assert codes
    for code in codes:
        answer = decompile(code)
        assert "different values below" not in (answer.reason or "")
        if answer.verdict is not Verdict.OPAQUE:
            assert_same(code, answer.recompile())
    assert sum(decompile(code).verdict is not Verdict.OPAQUE for code in codes) > len(codes) // 2


@pytest.mark.parametrize("text", ["return entered(a)", "with entered(a) as x:\n        return x"])
def test_the_helper_elsewhere_is_refused(text):
    code = function_code(f"def f(a):\n    {text}\n")
    with pytest.raises(CannotCompile, match="a with statement that names nothing"):
        without_helper_calls(code, {"entered": "entered"})
