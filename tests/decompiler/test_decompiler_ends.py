"""What stands at the end of loops and functions, where the compiler copies and moves code most.

Drawn from loops that end in a `break` after some statement, and from choices in the last statement of a function. Both
came from code of others, of which some had a variable that nobody wrote: so had one in ten of the former.
"""

from __future__ import annotations

import itertools
import random
import re
from types import CodeType

import pytest

from unjit.decompiler import Verdict, decompile

DRAWN = 150
LOOPS = ("for n in xs:", "while n.more:", "while True:", "for n in xs:\n  if not n:\n   continue")
BEFORE = (
    "",
    "if n.a:\n continue",
    "if n.x:\n if n < 3:\n  continue\n g(n)",
    "if n.a:\n g(n)",
    "if n.a:\n if n.b:\n  continue\n elif n.c:\n  g()",
    "if n.a and n.b:\n g()",
)
LAST = (
    "for d in n:\n h(d)",
    "while d:\n h(d)",
    "try:\n h()\nexcept E:\n k()",
    "with n:\n h()",
    "if n.p:\n if n.q:\n  h()\n d = 3\nelse:\n if n.r:\n  k()\n d = 4",
    "try:\n h()\nfinally:\n k()",
    "match n:\n case 1:\n  h()\n case [a, b]:\n  k()",
    "for d in n:\n for e in d:\n  if e:\n   h(e)\n k()",
    "try:\n h()\nexcept E as e:\n k(e)\n continue\nelse:\n m()",
    "with n as m:\n h()\n if m:\n  continue",
    "assert n\nh()",
    "if n.p:\n raise E\nh()",
    "if n.p:\n return 3\nh()",
    "for d in n:\n if d:\n  break\nelse:\n continue",
)
AFTER = ("g()", "return n", "if n:\n g()\nreturn 3", "")
VALUES = (
    *("1", "a", "a.b", "g(a)", "[1, 2, 3]", "[a, b]", "{1, 2, 3}", "{'k': 1}", "{'k': a, 'l': b}", "(1, 2)", "(a, b)"),
    *("lambda: 1", "f'{a}'", "[i for i in a]", "-a", "not a", "a if b else 3", "a or b", "{**a}", "[*a]", "a < b"),
)
USES = (
    *("f({})", "f(a, {})", "f({}, a)", "f(*a, x={})", "f(**a, x={})", "f(x={}, y=a)", "a.f(b, {}).g()", "return f({})"),
    *("return f(a, x={})", "return [{}, a]", "return {}", "a.x = {}", "raise E({})", "f(g(b, {}))"),
    "return a.f(*b, {})",
)


def indented(text, by):
    return "\n".join(" " * by + line for line in text.split("\n") if line)


def loops():
    for loop, before, last, word, after in itertools.product(LOOPS, BEFORE, LAST, ("break", "k()\nbreak"), AFTER):
        suite = "\n".join(indented(part, 2) for part in (before, last, word) if part)
        yield f"def f(xs, n):\n {loop}\n{suite}\n{indented(after, 1)}\n"


def choices():
    for use, value, other, line in itertools.product(USES, VALUES, ("2", "h(b)", "[4, 5, 6]", "c"), (" ", "\n  ")):
        yield f"def f(a, b, c, r):\n {use.format(f'({value}{line}if r else {other})')}\n"


@pytest.mark.parametrize("made", [loops, choices])
def test_nothing_is_made_up(made):
    for source in random.Random(1).sample(list(made()), DRAWN):
        module = compile(source, "drawn.py", "exec")
        (code,) = (constant for constant in module.co_consts if isinstance(constant, CodeType))
        answer = decompile(code)
        assert answer.verdict is not Verdict.OPAQUE, source
        assert not re.search(r"\b_t\d|get_iter", answer.source), f"{source}\n{answer.source}"
