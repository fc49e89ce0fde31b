"""Long and deep functions come back whole: no recursion follows their length."""

from __future__ import annotations

from types import CodeType

import pytest

from unjit.decompiler import Verdict, decompile

LENGTH = 600
SHAPES = {
    "elif": "if a: x = 0\n" + "".join(f" elif a[{i}]: x += {i}\n" for i in range(LENGTH)),
    "elif that raises": "if a: x = 0\n" + "".join(f" elif a[{i}]: raise a({i})\n" for i in range(LENGTH)),
    "returns": "".join(f" if a[{i}]: return {i}\n" for i in range(LENGTH)).lstrip(),
    "cases": "match a:\n" + "".join(f"  case {i}: return {i}\n" for i in range(LENGTH)),
    "handlers": "try: a()\n" + "".join(f" except E{i}: return {i}\n" for i in range(LENGTH)),
    "else raises": "".join(f" if a[{i}]: x += {i}\n else: raise a\n" for i in range(LENGTH)).lstrip(),
    "withs that return": "".join(f" with a[{i}]:\n  return {i}\n" for i in range(LENGTH)).lstrip(),
    "matches that raise": "".join(f" match a:\n  case [{i}, _]:\n   raise a({i})\n" for i in range(LENGTH)).lstrip(),
    "matches of parts": "".join(f" match a:\n  case [{i}, *x]:\n   a(x)\n" for i in range(LENGTH)).lstrip(),
    "loops left at once": "".join(
        f" while True:\n  if a[{i}]:\n   break\n  return a({i})\n" for i in range(LENGTH)
    ).lstrip(),
    "choices alone": "".join(f" a[{i}] and a({i})\n" for i in range(LENGTH)).lstrip(),
    "sum": "x = " + " + ".join(f"{i} * a" for i in range(400)) + "\n",
    "nested": "x = 1\n" + "".join(f" {i * chr(32)}if a[{i}]:\n {i * chr(32)} x += {i}\n" for i in range(90)),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_long(shape):
    module = compile(f"def f(a, x):\n {SHAPES[shape]} return x\n", "<long>", "exec", dont_inherit=True)
    code = next(const for const in module.co_consts if isinstance(const, CodeType))
    answer = decompile(code)
    assert answer.verdict is Verdict.IDENTICAL, answer.reason
    assert answer.synthetic.total == 0
