"""Expressions deeper than Python's own stack, as far as its compiler takes them."""

from __future__ import annotations

from types import CodeType

import pytest

from unjit.decompiler import Verdict, decompile

DEEP = 900
CHAIN = "a" + ".b(1, x=2)" * 400
TEXTS = {
    "attributes": "def f(a):\n return a" + ".b" * DEEP,
    "calls": f"def f(a):\n return {CHAIN}",
    "subscripts": "def f(a):\n return a" + "[0]" * DEEP,
    "signs": "def f(a):\n return " + "-" * DEEP + "a",
    "choices": "def f(a):\n return " + "1 if a else " * DEEP + "2",
    "powers": "def f(a):\n return " + " ** ".join("a" * DEEP),
    "conditions in brackets": "def f(a):\n return " + "(a and b or " * 90 + "a" + ")" * 90,
    "a default": f"def f(a):\n def g(x={CHAIN}): pass\n return g",
    "a lambda": f"def f():\n return lambda a: {CHAIN}",
    "a field": f"def f(a):\n return f'{{{CHAIN}}}'",
    "a comprehension": f"def f(a):\n return [{CHAIN} for x in {CHAIN} if {CHAIN}]",
    "private names": "class C:\n x = a" + ".__b()" * 400,
    "a module": f"x = {CHAIN}",
    "an annotation": f"x: {CHAIN} = 1",
    "targets": f"def f(a):\n with {CHAIN} as x[{CHAIN}]:\n  {CHAIN}.x += 1\n  del {CHAIN}.x",
    "a subject": f"def f(a):\n match {CHAIN}:\n  case 1: return 2",
    "tests": f"def f(a):\n while {CHAIN}:\n  assert {CHAIN}",
    "an await": f"async def f(a):\n return await {CHAIN}",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_an_expression_may_be_of_any_depth(text):
    module = compile(text, "deep", "exec")
    answers = [decompile(code) for code in (module, *filter(is_code, module.co_consts))]
    assert {answer.verdict for answer in answers} <= {Verdict.IDENTICAL, Verdict.EQUIVALENT}
    assert not any(answer.synthetic.temporaries for answer in answers)


def is_code(const: object) -> bool:
    return isinstance(const, CodeType)


def test_who_asks_may_be_deep_in_the_stack():
    code = compile(f"x = {CHAIN}", "deep", "exec")

    def asked_from(depth: int) -> Verdict:
        return asked_from(depth - 1) if depth else decompile(code).verdict

    assert asked_from(500) is Verdict.IDENTICAL


def test_its_stack_and_lines_are_told():
    code = compile(f"def f(a):\n return {CHAIN}", "deep", "exec").co_consts[0]
    answer = decompile(code)
    last = len(code.co_code) - 2
    assert answer.line_of(last) == len(answer.source.splitlines())
    assert len(answer.stack_at(last)) == 1
