"""Code without line numbers: what lines would tell of copies that the compiler made, the flow of control tells."""

from __future__ import annotations

from types import CodeType

import pytest

from catalogue_states import FILES, codes_of, runs_here
from unjit.bytecode import versions as v
from unjit.decompiler import Verdict, decompile

NO_LINES = b"" if v.PY311 else bytes((254, 128))
WRITTEN = """
def a_raise_that_ends_a_chained_comparison(a, b, k):
    raise k(b < a < a)


def a_chained_comparison_that_is_raised(a, b):
    raise b < a < a


def an_assertion_with_one_in_its_message(a, b, k):
    assert a, k(b < a < a)
    return b


def a_chained_comparison_that_fails(a, b):
    if not 1 <= a <= 9:
        raise b(a)
    b.x()


def an_except_that_does_nothing(a):
    try:
        a()
    except:
        pass
    a.x()


def what_is_after_a_with(a, b):
    with a as c:
        c()
    return b.x


def what_is_after_two(a, b):
    with a as c, b as d:
        c()
    return len(d)


def what_is_after_ways_out_of_a_with(a, b, g):
    with a:
        if b:
            g(b)
    return g(a)


def a_with_in_a_handler(a, b):
    try:
        a()
    except b:
        with a:
            del b[a]
        raise
    a.x()


def what_is_after_a_try(a, g):
    try:
        g(a)
    except KeyError:
        a.x()
    except ValueError as error:
        g(error)
    return g(a)


def a_while_loop(a, n):
    while n:
        a += 1
        if a > 5:
            a = 0
        n -= 1


def alternatives_at_the_end_of_a_pattern(t):
    match t:
        case [None | int(), str() | bytes()]:
            return True
        case _:
            return False
"""
SAMPLES = {code.co_name: code for code in compile(WRITTEN, "samples", "exec").co_consts if isinstance(code, CodeType)}


def without_lines(code: CodeType) -> CodeType:
    inner = tuple(without_lines(one) if isinstance(one, CodeType) else one for one in code.co_consts)
    return code.replace(co_linetable=NO_LINES, co_consts=inner)


@pytest.mark.parametrize("name", SAMPLES)
def test_source_is_what_was_written(name):
    answer = decompile(without_lines(SAMPLES[name]))
    assert answer.verdict is Verdict.IDENTICAL
    assert answer.source in WRITTEN


def test_the_catalogue_is_as_readable():
    """None of it is opaque for that, and less than a hundredth has variables that nobody wrote."""
    all_, unnatural = 0, []
    for file in filter(runs_here, FILES):
        for name, code in codes_of(file).items():
            with_lines, answer = decompile(code), decompile(without_lines(code))
            assert answer.verdict is not Verdict.OPAQUE or with_lines.verdict is Verdict.OPAQUE, name
            all_ += 1
            if answer.synthetic.temporaries > with_lines.synthetic.temporaries:
                unnatural.append(name)
    assert len(unnatural) < all_ / 100, unnatural
