"""A function twice as long takes at most little more than twice the work."""

from __future__ import annotations

from types import CodeType

import pytest

from traced import instructions_of
from unjit.decompiler import Verdict, decompile

LENGTH = 60
MOST = 2.15  # times the work for twice the length; 2.3 and more is what goes over everything for each statement
STATEMENTS = {
    "ifs": "if a[{i}]: x += {i}",
    "ifs with else": "if a[{i}]: x += {i}\n else: x -= 1",
    "ifs that do nothing": "if a[{i}]:\n  pass\n else:\n  a(x)",
    "returns of nothing": "if a[{i}]: return",
    "returns": "if a[{i}]: return {i}",
    "loops": "for x in a[{i}]: a(x)",
    "loops with a break": "while a[{i}]:\n  if x: break\n  a(x)",
    "loops that are left at once": "while True:\n  if a[{i}]:\n   x()\n   break",
    "tries": "try: a({i})\n except E: a(x)",
    "tries with a break": "while x:\n  try: a({i})\n  except E: a(x)\n  else: break",
    "finally suites": "try: a({i})\n finally: a(x)",
    "withs": "with a[{i}] as x: a(x)",
    "matches": "match a[{i}]:\n  case 1: x = 2\n  case [y]: x = y",
    "choices": "x = {i} if a[{i}] else a",
    "assertions": "assert a[{i}], {i}",
    "comprehensions": "a([y + {i} for y in x if y])",
}
PARTS = {
    "and": ("x = ", " and "),
    "or": ("x = ", " or "),
    "comparison": ("x = ", " < "),
    "display": ("x = a(", ", ", ")"),
    "test": ("if ", " and ", ": x = 1"),
    "denied test": ("if not ", " and not ", ": x = 1"),
    "sum": ("x = ", " + "),
}


@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS)
def test_of_statements(statement):
    check(lambda count: "".join(f" {statement.format(i=i)}\n" for i in range(count)))


@pytest.mark.parametrize(("before", "between", "after"), [(*p, "")[:3] for p in PARTS.values()], ids=PARTS)
def test_of_parts_of_an_expression(before, between, after):
    check(lambda count: f" {before}{between.join(f'a[{i}]' for i in range(count))}{after}\n")


@pytest.mark.parametrize("suite", ["a({i})", "return {i}", "raise a"])
def test_of_chains_of_elif(suite):
    def chain(count):
        tests = "".join(f" elif a[{i}]: {suite.format(i=i)}\n" for i in range(count))
        return f" if x: a(x)\n{tests} else: raise a\n"

    check(chain)


def check(body):
    work_of(body(2))  # from 3.12 on the first call of a function is not counted
    once, twice = (work_of(body(count)) for count in (LENGTH, 2 * LENGTH))
    assert twice < MOST * once, f"{twice / once:.2f} times the work"


def work_of(body):
    module = compile(f"def f(a, x):\n{body} return x\n", "<growth>", "exec", dont_inherit=True)
    code = next(const for const in module.co_consts if isinstance(const, CodeType))
    answers = []
    work = instructions_of(lambda: answers.append(decompile(code)))
    assert answers[0].verdict is not Verdict.OPAQUE
    return work
