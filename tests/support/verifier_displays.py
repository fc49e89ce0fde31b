"""Functions that make lists, tuples and dicts only to take them apart again, as Dynamo's code does.

Locals whose name starts with `_` stand for Dynamo's stack: `verdict_of_stack_code` compares as if nothing could see
them on either side.
"""

from __future__ import annotations

from types import CodeType

from unjit.verifier.diverged import Diverged
from unjit.verifier.machine.program import Slots, lift
from unjit.verifier.machine.values import Values
from unjit.verifier.walk.bisimulate import Walk
from unjit.verifier.walk.liveness import Live

SAME: dict[str, tuple[str, ...]] = {
    "lists made for a resume function": (
        "def f(a, b):\n    return g([], [], a, b)",
        "def f(a, b):\n    _s = []\n    _p = [a, b]\n    _q = [[], *_p[0:1]]\n    return g(_s, *_q, _p[-1])",
    ),
    "values moved through slices": (
        "def f(a, b):\n    return g(b, [a, 1])",
        "def f(a, b):\n    _p = [a, 1, b]\n    _q = _p[2:]\n    _q[1:1] = [_p[:2]]\n    return g(_q[0], _q[-1])",
        "def f(a, b):\n    _p = [[a, 2], b, 3]\n    del _p[-1]\n    _p[0][1] = 1\n    _s, _q = _p\n    return g(_q, _s)",
        "def f(a, b):\n    _p = [1, a][::-1]\n    _q = [0, 0, b]\n    del _q[:-1]\n    return g(*_q, _p)",
    ),
    "arguments gathered for a call": (
        "def f(a, b):\n    return g(a, b, k=a, l=b)",
        "def f(a, b):\n    return g(*[a, b], **{'k': a, 'l': b})",
        "def f(a, b):\n    return g(*(a, b), **{'k': a}, **{'l': b})",
        "def f(a, b):\n    _p = (*[a], b)\n    return g(*_p[0:], **{**{'k': a}, 'l': b})",
    ),
    "half of the arguments gathered": (
        "def f(a, b):\n    return g(*a, k=b, l=[a])",
        "def f(a, b):\n    return g(*a, **{'k': b, 'l': [a]})",
        "def f(a, b):\n    _p = {'l': [a]}\n    return g(*a, **{'k': b}, **_p)",
    ),
    "keywords from outside": (
        "def f(a, b):\n    return g(a, [b], **b)",
        "def f(a, b):\n    _p = [a, [b]]\n    return g(*_p, **b)",
    ),
    "a dict in order": (
        "def f(a, b):\n    g({'k': a, 'l': b})\n    return h({'k': [a]})",
        "def f(a, b):\n    _p = {'k': b, 'l': b}\n    g({**_p, 'k': a})\n    return h({'k': [b], **{'k': [a]}})",
    ),
    "a dict whose keys are no texts": (
        "def f(a, b):\n    g({1: a, (1, None): b, None: a, 0.5: b})",
        "def f(a, b):\n    _p = {(1, None): b}\n    g({1: a, **_p, None: a, 0.5: b})",
    ),
    "shown, then an ordinary value": (
        "def f(a, b):\n    _p = [a]\n    g(_p)\n    _p[0] = b\n    return h(_p, _p[0])",
        "def f(a, b):\n    _q = a\n    _s = [[_q], 1]\n    _p = _s[0]\n    g(_p)\n    _p[0] = b\n    return h(_p, _s[0][0])",
    ),
    "one object in several places": (
        "def f(a, b):\n    _p = [a]\n    g(_p, [_p])\n    return h(_p)",
        "def f(a, b):\n    _q = [b]\n    _q[0] = a\n    _s = [0, _q]\n    g(_q, _s[1:])\n    return h(_s[1])",
    ),
    "a test between making and using": (
        "def f(a, b):\n    if a:\n        return g([], b)\n    return h([b], [])",
        "def f(a, b):\n    _p = []\n    _q = [b]\n    if a:\n        return g(_p, _q[0])\n    return h(_q, _p)",
    ),
    "paths that meet": (
        "def f(a, b):\n    _p = [a]\n    _q = 1 if b else 2\n    g()\n    return h(_p, *[_q])",
        "def f(a, b):\n    _s = [0]\n    _s[0] = a\n    if b:\n        _q = 1\n    else:\n        _q = 2\n    g()\n    return h(_s, _q)",
    ),
    "a handler": (
        "def f(a, b):\n    try:\n        g()\n    except Boom:\n        return h([a], b)\n    return h([b], a)",
        "def f(a, b):\n    _p = [a, b]\n    try:\n        g()\n    except Boom:\n        return h(_p[:1], _p[1])\n    _p[0] = b\n"
        "    return h(_p[0:1], a)",
    ),
    "a new list each time": (
        "def f(a, b):\n    for x in a:\n        g([x], [])",
        "def f(a, b):\n    for x in a:\n        _p = [x, []]\n        g(_p[:1], _p[1])",
    ),
    "tests that are decided": (
        "def f(a, b):\n    return g(a, True, False)",
        "def f(a, b):\n    _p = [a]\n    _q = _p\n    if _p:\n        return g(_q[0], _p is _q, _p is [a])\n    return h(_p)",
    ),
    "closures": (
        "def f(a, b):\n    _p = [a]\n    return g(lambda: b, (a, b), *_p)",
        "def f(a, b):\n    return g(lambda: b, (a, b), a)",
    ),
}  # fmt: skip

# Seen by somebody, so that these are not the same.
OTHER: dict[str, tuple[str, str]] = {
    "one list or two": ("def f(a, b):\n    g([], [])", "def f(a, b):\n    _p = []\n    g(_p, _p)"),
    "two lists or one": ("def f(a, b):\n    _p = []\n    g(_p, _p)", "def f(a, b):\n    g([], [])"),
    "one tuple or two": ("def f(a, b):\n    _p = (a,)\n    g(_p, _p)", "def f(a, b):\n    g((a,), (a,))"),
    "the same inner list": (
        "def f(a, b):\n    _p = [a]\n    g([_p, _p])",
        "def f(a, b):\n    g([[a], [a]])",
    ),
    "changed after it was shown": (
        "def f(a, b):\n    _p = [a]\n    g(_p)\n    _p[0] = b\n    h(_p)",
        "def f(a, b):\n    _p = [a]\n    g(_p)\n    h([b])",
    ),
    "changed before it was shown": (
        "def f(a, b):\n    _p = [a]\n    g(_p)\n    _p[0] = b\n    h(_p)",
        "def f(a, b):\n    _p = [a]\n    _p[0] = b\n    g(_p)\n    h(_p)",
    ),
    "read after it was shown": (
        "def f(a, b):\n    _p = [a]\n    g(_p)\n    h(_p[0])",
        "def f(a, b):\n    _p = [a]\n    g(_p)\n    h(a)",
    ),
    "shown inside another": (
        "def f(a, b):\n    _p = [a]\n    g({'k': [_p]})\n    h(_p[0])",
        "def f(a, b):\n    _p = [a]\n    g({'k': [_p]})\n    h(a)",
    ),
    "a copy": (
        "def f(a, b):\n    _p = [a]\n    g(_p)\n    h(_p)",
        "def f(a, b):\n    _p = [a]\n    g(_p[:])\n    h(_p)",
    ),
    "a list for a tuple": ("def f(a, b):\n    g((a, b))", "def f(a, b):\n    g([a, b])"),
    "keys in another order": ("def f(a, b):\n    g({'k': a, 'l': b})", "def f(a, b):\n    g({'l': b, 'k': a})"),
    "only the keys in another order": ("def f(a, b):\n    g({'k': a, 'l': a})", "def f(a, b):\n    g({'l': a, 'k': a})"),
    "keys that are equal": ("def f(a, b):\n    g({1: a})", "def f(a, b):\n    g({True: a})"),
    "numbers that are equal": ("def f(a, b):\n    g({1: a, 0.0: b})", "def f(a, b):\n    g({1: a, 0: b})"),
    "keys that hold equal ones": ("def f(a, b):\n    g({(1,): a})", "def f(a, b):\n    g({(1.0,): a})"),
    "numbers in another order": ("def f(a, b):\n    g({1: a, 2: b})", "def f(a, b):\n    g({2: b, 1: a})"),
    "a key that another takes the place of": ("def f(a, b):\n    g({1: a, 2: b, 1: b})", "def f(a, b):\n    g({1: a, 2: b})"),
    "keywords that are no texts": ("def f(a, b):\n    g(**{1: a})", "def f(a, b):\n    g(**{2: a})"),
    "keywords in another order": ("def f(a, b):\n    g(k=a, l=b)", "def f(a, b):\n    g(**{'l': b, 'k': a})"),
    "a keyword twice": (
        "def f(a, b):\n    g(**{'k': a}, **{'k': b})",
        "def f(a, b):\n    g(**{**{'k': a}, **{'k': b}})",
    ),
    "in a local of the original": (
        "def f(a, b):\n    x = [a]\n    g(x[0])",
        "def f(a, b):\n    g(a)",
    ),
    "changed in a local of the original": (
        "def f(a, b):\n    x = [a]\n    g()\n    x[0] = b\n    h()",
        "def f(a, b):\n    x = [a]\n    g()\n    x = [b]\n    h()",
    ),
    "changed in one branch only": (
        "def f(a, b):\n    _p = [a]\n    if b:\n        _p[0] = b\n    g(_p)",
        "def f(a, b):\n    _p = [a]\n    _p[0] = b\n    g(_p)",
    ),
    "changed in the other branch": (
        "def f(a, b):\n    _p = [a]\n    if b:\n        _p[0] = b\n    g(_p)",
        "def f(a, b):\n    _p = [a]\n    if b:\n        pass\n    else:\n        _p[0] = b\n    g(_p)",
    ),
    "made once for all rounds": (
        "def f(a, b):\n    for x in a:\n        g([])",
        "def f(a, b):\n    _p = []\n    for x in a:\n        g(_p)",
    ),
    "made in each round": (
        "def f(a, b):\n    _p = []\n    for x in a:\n        g(_p)",
        "def f(a, b):\n    for x in a:\n        _p = []\n        g(_p)",
    ),
    "one more in each round": (
        "def f(a, b):\n    _p = []\n    for x in a:\n        _p += [x]\n    g(_p)",
        "def f(a, b):\n    _p = []\n    for x in a:\n        _p = [x]\n    g(_p)",
    ),
    "collected in each round": (
        "def f(a, b):\n    _p = []\n    for x in a:\n        h()\n        _p[0:0] = [x]\n    g(_p)",
        "def f(a, b):\n    _p = []\n    for x in a:\n        h()\n        _p = [x]\n    g(_p)",
    ),
    "held by a closure": (
        "def f(a, b):\n    x = [a]\n    g(lambda: x)\n    h(x[0])",
        "def f(a, b):\n    x = [a]\n    g(lambda: x)\n    h(a)",
    ),
    "in a handler, changed only later": (
        "def f(a, b):\n    _p = [a]\n    try:\n        g()\n        _p[0] = b\n        k()\n    except Boom:\n        h(_p)",
        "def f(a, b):\n    _p = [a]\n    _q = [b]\n    try:\n        g()\n        k()\n    except Boom:\n        h(_q)",
    ),
    "one or two on different paths": (
        "def f(a, b):\n    if a:\n        _p = []\n        _q = []\n    else:\n        _p = _q = []\n    g()\n    _p[:] = [b]\n    h(_q)",
        "def f(a, b):\n    _p = []\n    _q = []\n    if a:\n        pass\n    g()\n    _p[:] = [b]\n    h(_q)",
    ),
    "one or two of different contents": (
        "def f(a, b):\n    if a:\n        _p = [1]\n        _q = [1]\n    else:\n        _p = _q = [2]\n    g()\n    _p[:] = [b]\n    h(_q)",
        "def f(a, b):\n    if a:\n        _p = [1]\n        _q = [1]\n    else:\n        _p = [2]\n        _q = [2]\n    g()\n"
        "    _p[:] = [b]\n    h(_q)",
    ),
    "a tuple that the callee may keep": (
        "def f(a, b):\n    _p = (a, b)\n    return h(g(*_p), _p)",
        "def f(a, b):\n    return h(g(a, b), (a, b))",
    ),
    "no such index": ("def f(a, b):\n    return g([a][1])", "def f(a, b):\n    return g([a][0])"),
    "too few to unpack": ("def f(a, b):\n    _p, _q = [a]\n    g(_p)", "def f(a, b):\n    g(a)"),
    "a step of zero": ("def f(a, b):\n    g([a][::0])", "def f(a, b):\n    g([])"),
    "an index that is not known": ("def f(a, b):\n    g([a, b][b])", "def f(a, b):\n    g([a, b][1])"),
}  # fmt: skip


def verdict_of_stack_code(original: CodeType, candidate: CodeType) -> str | None:
    """Why the two may differ, None if they do not."""
    values, slots = Values(), Slots()
    for name in original.co_varnames + original.co_cellvars:
        if not name.startswith("_"):
            slots.of(("local", name))
    named = len(slots.index)
    left, right = lift(original, slots, values), lift(candidate, slots, values)
    for program in (left, right):
        program.live = Live(program, named)
    try:
        Walk(values, named, lambda one, other: one.co_code == other.co_code, 6).run(left, right)
    except Diverged as diverged:
        return diverged.sentence
    return None
