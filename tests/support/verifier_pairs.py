"""Functions, each with other ways to write it that must be found equivalent.

`{name: (original, candidate, …)}`; every text defines one function. Written so that each place matters: no dead code,
no statement that changes nothing.
"""

from __future__ import annotations

import sys

PAIRS: dict[str, tuple[str, ...]] = {
    "straight line": (
        "def f(a, b):\n    c = g(a.x, b[0])\n    a.y = c\n    b[1], a.z = c, 2\n    return h(c, k=a) + b",
        "def f(a, b):\n    t0 = g\n    t1 = a.x\n    t2 = b[0]\n    c = t0(t1, t2)\n    a.y = c\n"
        "    b[1] = c\n    a.z = 2\n    t3 = h(c, k=a)\n    return t3 + b",
    ),
    "if inverted": (
        "def f(a, b):\n    if a < b:\n        g(a)\n    else:\n        h(b)\n    return k(a)",
        "def f(a, b):\n    if not a < b:\n        h(b)\n    else:\n        g(a)\n    return k(a)",
        "def f(a, b):\n    if a < b:\n        g(a)\n        return k(a)\n    h(b)\n    return k(a)",
        "def f(a, b):\n    t = a < b\n    if t:\n        g(a)\n    else:\n        h(b)\n    return k(a)",
    ),
    "is None": (
        "def f(a):\n    if a is None:\n        g()\n    else:\n        h(a)\n    return k()",
        "def f(a):\n    if a is not None:\n        h(a)\n    else:\n        g()\n    return k()",
        "def f(a):\n    t = a is None\n    if t:\n        g()\n        return k()\n    h(a)\n    return k()",
        "def f(a):\n    t = not a is None\n    if not t:\n        g()\n    else:\n        h(a)\n    return k()",
    ),
    "is True of what is True or False": (
        "def f(a):\n    b = not a\n    if b:\n        g(1)\n    return k(b)",
        "def f(a):\n    b = not a\n    if b is True:\n        g(1)\n    return k(b)",
        "def f(a):\n    b = not a\n    if b is not False:\n        g(1)\n    return k(b)",
    ),
    "while": (
        "def f(a):\n    while a.more:\n        g(a)\n        a = a.next\n    return a",
        "def f(a):\n    while True:\n        if not a.more:\n            break\n        g(a)\n        a = a.next\n    return a",
        "def f(a):\n    while True:\n        if not a.more:\n            return a\n        g(a)\n        a = a.next",
        "def f(a):\n    if a.more:\n        while True:\n            g(a)\n            a = a.next\n"
        "            if not a.more:\n                break\n    return a",
        "def f(a):\n    _at = 0\n    while True:\n        if _at == 0:\n            _at = 1 if a.more else 2\n"
        "        elif _at == 1:\n            g(a)\n            a = a.next\n            _at = 0\n        else:\n            return a",
    ),
    "for with break and else": (
        "def f(a, b):\n    for x in a:\n        if x in b:\n            g(x)\n            break\n        h(x)\n    else:\n"
        "        k(a)\n    return b.end",
        "def f(a, b):\n    for x in a:\n        if x in b:\n            g(x)\n            return b.end\n        h(x)\n"
        "    k(a)\n    return b.end",
        "def f(a, b):\n    found = False\n    for x in a:\n        if x not in b:\n            h(x)\n        else:\n"
        "            g(x)\n            found = True\n            break\n    if not found:\n        k(a)\n    return b.end",
        "def f(a, b):\n    it = None\n    for x in a:\n        if x in b:\n            it = 1\n"
        "            g(x)\n            break\n        h(x)\n    if it is None:\n        k(a)\n    return b.end",
    ),
    "nested loops": (
        "def f(a):\n    for x in a:\n        for y in x:\n            if g(y):\n                continue\n            if h(y):\n"
        "                break\n            k(y)\n        l(x)\n    return m(a)",
        "def f(a):\n    for x in a:\n        for y in x:\n            if not g(y):\n                if h(y):\n"
        "                    break\n                k(y)\n        l(x)\n    return m(a)",
        "def f(a):\n    for x in a:\n        _exit = 0\n        for y in x:\n            _next = 0\n            if g(y):\n"
        "                _next = 1\n            if _next == 0:\n                if h(y):\n                    _exit = 1\n"
        "                if _exit == 1:\n                    break\n                k(y)\n        l(x)\n    return m(a)",
    ),
    "and, or": (
        "def f(a, b, c):\n    if a and (b or c):\n        return g(a)\n    return h(b)",
        "def f(a, b, c):\n    if a:\n        if b:\n            return g(a)\n        if c:\n            return g(a)\n    return h(b)",
        "def f(a, b, c):\n    _go = False\n    if a:\n        if b:\n            _go = True\n        elif c:\n            _go = True\n"
        "    if _go:\n        return g(a)\n    return h(b)",
    ),
    "value of or": (
        "def f(a, b):\n    return g(a.x or b.y, a)",
        "def f(a, b):\n    t0 = g\n    t = a.x\n    if not t:\n        t = b.y\n    return t0(t, a)",
    ),
    "value of and": (
        "def f(a, b):\n    c = a.x and b.y\n    return g(c)",
        "def f(a, b):\n    t = a.x\n    if t:\n        t = b.y\n    c = t\n    return g(c)",
        "def f(a, b):\n    c = b.y if (t := a.x) else t\n    return g(c)",
    ),
    "ternary": (
        "def f(a):\n    b = g(a) if a > 1 else h(a)\n    return b, a",
        "def f(a):\n    if a > 1:\n        t = g(a)\n    else:\n        t = h(a)\n    b = t\n    return b, a",
        "def f(a):\n    if a > 1:\n        b = g(a)\n        return b, a\n    b = h(a)\n    return b, a",
    ),
    "chained comparison": (
        "def f(a, b, c):\n    if a.x < b.x <= c.x:\n        return g(a)\n    return h(b)",
        "def f(a, b, c):\n    t = a.x\n    u = b.x\n    if t < u:\n        if u <= c.x:\n            return g(a)\n    return h(b)",
    ),
    "swap": (
        "def f(a, b, c):\n    a, b = b, a\n    a, b, c = g(a), c, a\n    return h(a, b, c)",
        "def f(a, b, c):\n    t = a\n    a = b\n    b = t\n    u = g(a)\n    v = c\n    c = a\n    a = u\n    b = v\n    return h(a, b, c)",
    ),
    "long swap": (
        "def f(a, b, c, d):\n    a, b, c, d = d, c, b, a\n    return g(a, b, c, d)",
        "def f(a, b, c, d):\n    t = a\n    a = d\n    d = t\n    t = b\n    b = c\n    c = t\n    return g(a, b, c, d)",
    ),
    "alias": (
        "def f(a):\n    b = c = [a]\n    b.append(1)\n    return g(b), c",
        "def f(a):\n    t = [a]\n    b = t\n    c = t\n    b.append(1)\n    return g(b), c",
    ),
    "display": (
        "def f(a):\n    return g([1, 2, 3], {1, a}, {'x': a, 'y': 2}, (1, 2), [a, 1], a[1:2])",
        "def f(a):\n    t = 1\n    u = 2\n    v = 3\n    w = g\n    l = [t, u, v]\n    s = {t, a}\n    d = {'x': a, 'y': u}\n"
        "    p = (t, u)\n    m = [a, t]\n    return w(l, s, d, p, m, a[t:u])",
    ),
    "calls": (
        "def f(a, *b, **c):\n    return a.g(1, *b, k=2, **c)(a.h(x=3), print(a, end=''))",
        "def f(a, *b, **c):\n    t = a.g(1, *b, k=2, **c)\n    u = a.h(x=3)\n    return t(u, print(a, end=''))",
    ),
    "try except": (
        "def f(a):\n    try:\n        b = g(a)\n    except KeyError as e:\n        return h(e)\n    except (TypeError, ValueError):\n"
        "        b = a.x\n    else:\n        k(b)\n    return l(b)",
        "def f(a):\n    try:\n        t = g(a)\n        b = t\n    except KeyError as e:\n        return h(e)\n"
        "    except (TypeError, ValueError):\n        b = a.x\n    else:\n        k(b)\n        return l(b)\n    return l(b)",
        "def f(a):\n    _at = 0\n    while True:\n        if _at == 0:\n            try:\n                b = g(a)\n                _at = 1\n"
        "            except KeyError as e:\n                return h(e)\n            except (TypeError, ValueError):\n"
        "                b = a.x\n                _at = 2\n        elif _at == 1:\n            k(b)\n            _at = 2\n"
        "        else:\n            return l(b)",
    ),
    "handler that raises again": (
        "def f(a):\n    return g(a.x)",
        "def f(a):\n    try:\n        t = g(a.x)\n    except:\n        raise\n    return t",
        "def f(a):\n    try:\n        return g(a.x)\n    finally:\n        pass",
    ),
    "match by hand": (
        "def f(a):\n    try:\n        g(a)\n    except KeyError:\n        h(a)\n    return k()",
        "def f(a):\n    try:\n        g(a)\n    except:\n        try:\n            raise\n        except KeyError:\n            m = True\n"
        "        except:\n            m = False\n        if m:\n            h(a)\n        else:\n            raise\n    return k()",
    ),
    "finally": (
        "def f(a):\n    try:\n        if g(a):\n            return h(a)\n        k(a)\n    finally:\n        l(a)\n    return m(a)",
        "def f(a):\n    try:\n        _r = 0\n        if g(a):\n            u = h(a)\n            _r = 1\n        else:\n            k(a)\n"
        "    except:\n        l(a)\n        raise\n    l(a)\n    if _r == 1:\n        return u\n    return m(a)",
    ),
    "loop with finally": (
        "def f(a):\n    for x in a:\n        try:\n            if g(x):\n                break\n            if h(x):\n                continue\n"
        "            k(x)\n        finally:\n            l(x)\n    return m(a)",
        "def f(a):\n    for x in a:\n        _go = 0\n        try:\n            if g(x):\n                _go = 1\n            elif not h(x):\n"
        "                k(x)\n        except:\n            l(x)\n            raise\n        l(x)\n        if _go == 1:\n            break\n"
        "    return m(a)",
    ),
    "with": (
        "def f(a):\n    with g(a) as b:\n        h(b)\n    return k(a)",
        "def f(a):\n    with g(a) as t:\n        b = t\n        h(b)\n    return k(a)",
        "def f(a):\n    with g(a) as b:\n        u = h\n        u(b)\n    t = k(a)\n    return t",
    ),
    "with that returns": (
        "def f(a):\n    with a as b, b.c:\n        return g(b)\n    return h(a)",
        "def f(a):\n    with a as b:\n        with b.c:\n            t = g(b)\n            return t\n    return h(a)",
    ),
    "closures": (
        "def f(a):\n    b = a.x\n    def g(c=a):\n        nonlocal b\n        b += c\n        return lambda: (b, c)\n    return g, b",
        "def f(a):\n    b = a.x\n    def g(c=a):\n        nonlocal b\n        t = b\n        t += c\n        b = t\n        return lambda: (b, c)\n"
        "    return g, b",
    ),
    "deleted": (
        "def f(a):\n    b = g(a)\n    del a\n    h()\n    del b\n    return k()",
        "def f(a):\n    b = g(a)\n    t = a\n    del a, t\n    h()\n    b = None\n    del b\n    return k()",
    ),
    "maybe unbound": (
        "def f(a):\n    if a:\n        b = g(a)\n    h(a)\n    return b",
        "def f(a):\n    if a:\n        t = g(a)\n        b = t\n        h(a)\n    else:\n        h(a)\n    return b",
    ),
    "generator": (
        "def f(a):\n    b = yield a\n    while b:\n        try:\n            b = yield g(b)\n        except ValueError:\n            b = yield from h(b)\n"
        "    return k(a)",
        "def f(a):\n    t = yield a\n    b = t\n    while True:\n        if not b:\n            return k(a)\n        try:\n            b = yield g(b)\n"
        "        except ValueError:\n            b = yield from h(b)",
    ),
    "coroutine": (
        "async def f(a):\n    async with a.x as b:\n        async for c in b:\n            if await g(c):\n                break\n            await h(c)\n"
        "    return [d async for d in a if d.y]",
        "async def f(a):\n    async with a.x as b:\n        async for c in b:\n            t = await g(c)\n            if not t:\n"
        "                await h(c)\n                continue\n            break\n    return [d async for d in a if d.y]",
    ),
    "comprehension": (
        "def f(a, b):\n    return [g(x, b) for x in a if x], {y: b for y in a.z}, {z for z in b}",
        "def f(a, b):\n    t = [g(x, b) for x in a if x]\n    u = {y: b for y in a.z}\n    return t, u, {z for z in b}",
    ),
    "strings": (
        "def f(a, b):\n    return f'{a!r:>{b}} and {b.c:.2f}{a}'",
        "def f(a, b):\n    t = f'{a!r:>{b}} and {b.c:.2f}{a}'\n    return t",
    ),
    "assert": (
        "def f(a):\n    assert a.x, g(a)\n    return h(a)",
        "def f(a):\n    t = a.x\n    assert t, g(a)\n    return h(a)",
    ),
    "raise from": (
        "def f(a):\n    try:\n        return g(a)\n    except KeyError as e:\n        raise ValueError(a) from e",
        "def f(a):\n    try:\n        t = g(a)\n    except KeyError as e:\n        u = ValueError(a)\n        raise u from e\n    return t",
    ),
    "attributes in place": (
        "def f(a, b):\n    a.x += b\n    a[b] -= 1\n    b @= a\n    return not b, -a, ~b, a is b, a not in b",
        "def f(a, b):\n    t = a.x\n    t += b\n    a.x = t\n    u = a[b]\n    u -= 1\n    a[b] = u\n    b @= a\n    n = not b\n    return n, -a, ~b, a is b, a not in b",
    ),
    "import": (
        "def f(a):\n    import os.path as p\n    from sys import argv, exit as e\n    global G\n    G = p, argv\n    return e(a, G)",
        "def f(a):\n    import os.path as p\n    from sys import argv, exit as e\n    global G\n    t = (p, argv)\n    G = t\n    return e(a, G)",
    ),
    "unpack": (
        "def f(a):\n    b, (c, *d) = a\n    for i, (j, k) in b:\n        g(i, j, k)\n    return c, d",
        "def f(a):\n    b, t = a\n    c, *d = t\n    for i, u in b:\n        j, k = u\n        g(i, j, k)\n    return c, d",
    ),
    "class": (
        "def f(a):\n    class C(a, metaclass=M):\n        x: int = a.y\n        def m(self):\n            return super().m(self.x)\n    return C",
        "def f(a):\n    class C(a, metaclass=M):\n        x: int = a.y\n        def m(self):\n            t = super().m(self.x)\n            return t\n"
        "    u = C\n    return u",
    ),
    "several entries": (  # a loop entered in its middle, as resume functions do
        "def f(a, b):\n    g(b)\n    while True:\n        h(a)\n        if a.x:\n            break\n        k(a)\n        g(b)\n    return l(a)",
        "def f(a, b):\n    _at = 1\n    while True:\n        if _at == 0:\n            k(a)\n            _at = 1\n        elif _at == 1:\n"
        "            g(b)\n            h(a)\n            _at = 2 if a.x else 0\n        else:\n            return l(a)",
    ),
    "defaults": (
        "def f(a=None, b=None, c=None, d=None, e=None, g=None, h=None, i=None):\n"
        + "".join(f"    if {x} is None:\n        {x} = {n}\n" for n, x in enumerate("abcdeghi"))
        + "    return k(a, b, c, d, e, g, h, i)",
        "def f(a=None, b=None, c=None, d=None, e=None, g=None, h=None, i=None):\n"
        + "".join(
            f"    if {x} is not None:\n        pass\n    else:\n        t = {n}\n        {x} = t\n"
            for n, x in enumerate("abcdeghi")
        )
        + "    return k(a, b, c, d, e, g, h, i)",
    ),
}

if sys.version_info >= (3, 11):
    PAIRS["exception groups"] = (
        "def f(a):\n    try:\n        g(a)\n    except* KeyError as e:\n        h(e)\n    except* ValueError:\n        k(a)\n    return l(a)",
        "def f(a):\n    try:\n        t = g\n        t(a)\n    except* KeyError as e:\n        h(e)\n    except* ValueError:\n        k(a)\n"
        "    u = l(a)\n    return u",
    )
PAIRS["looked up by plain attribute"] = (  # a name imported beside the function changes how its methods are called
    "import os\ndef f(a):\n    b = os.path(a.x(1), os.sep)\n    return b",
    "def f(a):\n    b = os.path(a.x(1), os.sep)\n    return b",
    "def f(a):\n    t = os.path\n    u = a.x\n    v = u(1)\n    b = t(v, os.sep)\n    return b",
)
PAIRS["match"] = (
    "def f(a):\n    match a:\n        case [x, *y]:\n            return g(x, y)\n        case {'k': z, **r}:\n            return h(z, r)\n"
    "        case C(n=1) | D(m):\n            return k(a)\n    return l(a)".replace("D(m)", "D()"),
    "def f(a):\n    match a:\n        case [x, *y]:\n            t = g(x, y)\n            return t\n        case {'k': z, **r}:\n            return h(z, r)\n"
    "        case C(n=1) | D():\n            return k(a)\n        case _:\n            return l(a)",
)

# Pairs that look the same, and are not.
TRAPS: dict[str, tuple[str, str]] = {
    "a local that is loaded again after its test": (
        "def f(a):\n    return g(not (a or a))",
        "def f(a):\n    return g(not a)",
    ),
    "a local that is loaded again while its tested value waits": (
        "def f(a, b):\n    return a or b, not a",
        "def f(a, b):\n    return (a, False) if a else (b, not a)",
    ),
    "an exception in __exit__ after the result is known": (
        "def f(a):\n    with a as b:\n        with b.c:\n            return g(b)\n    return h(a)",
        "def f(a):\n    _r = 0\n    with a as b:\n        with b.c:\n            t = g(b)\n            _r = 1\n    if _r == 1:\n"
        "        return t\n    return h(a)",
    ),
    "return inside the handler": (
        "def f(a):\n    try:\n        g(a)\n    except KeyError:\n        pass\n    return l(a)",
        "def f(a):\n    try:\n        g(a)\n    except KeyError:\n        return l(a)\n    return l(a)",
    ),
    "one list or two": ("def f():\n    a = b = []\n    g(a, b)", "def f():\n    a = []\n    b = []\n    g(a, b)"),
    "one tuple or two": (
        "def f(x):\n    a = b = (x,)\n    g(a, b)",
        "def f(x):\n    a = (x,)\n    b = (x,)\n    g(a, b)",
    ),
    "looked up once or twice": ("def f():\n    t = a\n    g(t, t)", "def f():\n    g(a, a)"),
    "looked up before or after": ("def f(x):\n    g(h, k(x))", "def f(x):\n    t = k(x)\n    g(h, t)"),
    "tested once or twice": (
        "def f(x):\n    if x:\n        g()\n        h()",
        "def f(x):\n    if x:\n        g()\n    if x:\n        h()",
    ),
    "tested twice in a row": (
        "def f(x):\n    if x:\n        g()",
        "def f(x):\n    if x:\n        pass\n    if x:\n        g()",
    ),
    "bool of a value": ("def f(x):\n    return g(not not x)", "def f(x):\n    return g(x)"),
    "silent loop": ("def f(x):\n    return x", "def f(x):\n    while x is None:\n        pass\n    return x"),
    "silent loop in the original": (
        "def f(x):\n    while x is None:\n        pass\n    return x",
        "def f(x):\n    return x",
    ),
    "silent loop after many tests": (
        "def f(a, b, c, d, e, g, h, i):\n"
        + "".join(f"    if {x} is None:\n        {x} = 1\n" for x in "abcdeghi")
        + "    return a",
        "def f(a, b, c, d, e, g, h, i):\n"
        + "".join(f"    if {x} is None:\n        {x} = 1\n" for x in "abcdeghi")
        + "    while b is a:\n        pass\n    return a",
    ),
    "selector never reached": (
        "def f(x):\n    while x.more:\n        g(x)\n    return x",
        "def f(x):\n    _at = 0\n    while True:\n        if _at == 0:\n            _at = 1 if x.more else 2\n"
        "        elif _at == 1:\n            g(x)\n            _at = 3\n        elif _at == 2:\n            return x",
    ),
    "own variables seen by locals()": (
        "def f(x):\n    g(x)\n    return locals()",
        "def f(x):\n    t = g(x)\n    return locals()",
    ),
    "own variables seen in a frame": (
        "def f(x):\n    try:\n        g(x)\n    except E as e:\n        return e.__traceback__.tb_frame.f_locals",
        "def f(x):\n    try:\n        t = g; t(x)\n    except E as e:\n        return e.__traceback__.tb_frame.f_locals",
    ),
    "a global stored where a handler is": (  # a key of the namespace may be asked whether it equals the name
        "def f(x):\n    global y\n    try:\n        y = g(x)\n    except KeyError:\n        h()",
        "def f(x):\n    global y\n    try:\n        t = g(x)\n    except KeyError:\n        h()\n    else:\n        y = t",
    ),
    "a local that is bound too early": (
        "def f(x):\n    g(x)\n    y = x\n    return h(y)",
        "def f(x):\n    y = x\n    g(x)\n    return h(y)",
    ),
    "a local that stays bound": ("def f(x):\n    y = g(x)\n    del y\n    h()", "def f(x):\n    y = g(x)\n    h()"),
    "an unbound local": (
        "def f(x):\n    if x:\n        y = 1\n    return y",
        "def f(x):\n    y = None\n    if x:\n        y = 1\n    return y",
    ),
    "except Exception is not bare": (
        "def f(x):\n    try:\n        g(x)\n    except:\n        h(x)",
        "def f(x):\n    try:\n        g(x)\n    except Exception:\n        h(x)",
    ),
    "raise of the exception adds to its traceback": (
        "def f(x):\n    try:\n        g(x)\n    except KeyError as e:\n        h(x)\n        raise",
        "def f(x):\n    try:\n        g(x)\n    except KeyError as e:\n        h(x)\n        raise e",
    ),
    "handled when the next thing is called": (
        "def f(x):\n    try:\n        g(x)\n    except KeyError:\n        m = 1\n    h(x)",
        "def f(x):\n    try:\n        g(x)\n    except KeyError:\n        m = 1\n        h(x)\n        return\n    h(x)",
    ),
    "covered by the handler or not": (
        "def f(x):\n    try:\n        y = g(x)\n    except KeyError:\n        y = 1\n    return h(y)",
        "def f(x):\n    try:\n        y = g(x)\n        return h(y)\n    except KeyError:\n        y = 1\n    return h(y)",
    ),
    "yield outside the handler": (
        "def f(x):\n    try:\n        y = g(x)\n    except KeyError:\n        y = 1\n    yield y",
        "def f(x):\n    try:\n        y = g(x)\n        yield y\n        return\n    except KeyError:\n        y = 1\n    yield y",
    ),
    "iterator made anew": (
        "def f(x):\n    for y in x:\n        g(y)",
        "def f(x):\n    for y in iter(x):\n        g(y)",
    ),
    "name of an inner function": (
        "def f():\n    def g():\n        return 1\n    return g",
        "def f():\n    g = lambda: 1\n    return g",
    ),
    "docstring of an inner function": (
        "def f():\n    def g():\n        'doc'\n        return h()\n    return g",
        "def f():\n    def g():\n        return h()\n    return g",
    ),
    "inner function that differs": (
        "def f():\n    def g(x):\n        return x.a\n    return g",
        "def f():\n    def g(x):\n        return x.b\n    return g",
    ),
    "default of an argument name": ("def f(a):\n    return a", "def f(b):\n    return b"),
    "generator or not": ("def f(a):\n    yield a", "def f(a):\n    return g(a)"),
    "order of a set": ("def f(a, b):\n    return {a, b}", "def f(a, b):\n    return {b, a}"),
    "a tuple or a list": ("def f(a, b):\n    return (a, b)", "def f(a, b):\n    return [a, b]"),
    "is or equals": ("def f(a, b):\n    return g(a is b)", "def f(a, b):\n    return g(a == b)"),
    "comparison of constants of two types": (
        "def f():\n    return g(1 if 1 == a else 2)",
        "def f():\n    return g(1 if a == 1 else 2)",
    ),
    "cell or local": (
        "def f(a):\n    g(a)\n    return lambda: a",
        "def f(a):\n    b = a\n    g(b)\n    return lambda: a",
    ),
    "arguments from a tuple": ("def f(a):\n    return g(*a)", "def f(a):\n    return g(a)"),
    "a test of what a variable held before the loop": (
        "def f(a):\n    d = k()\n    b = g()\n    c = b is None\n    for d in a:\n        b = g()\n    if c:\n        h()",
        "def f(a):\n    d = k()\n    b = g()\n    c = b is None\n    for d in a:\n        b = g()\n    if b is None:\n        h()",
    ),
    "the opposite of what a variable was before the loop": (
        "def f(a):\n    d = g()\n    b = d in a\n    c = not b\n    for d in a:\n        b = d in a\n    if c:\n        h()",
        "def f(a):\n    d = g()\n    b = d in a\n    c = not b\n    for d in a:\n        b = d in a\n    if not b:\n        h()",
    ),
    "a method of what a variable held before": (
        "def f(a, b):\n    return b.g([a for a in b], *a, k=a.h(a if a else b))",
        "def f(a, b):\n    return b.g([a for a in b], *a, k=a.h(b if a else a))",
    ),
    "is True of anything": ("def f(a):\n    if a is True:\n        g()", "def f(a):\n    if a:\n        g()"),
    "is True or is False": (
        "def f(a):\n    b = not a\n    if b is True:\n        g()\n    h(b)",
        "def f(a):\n    b = not a\n    if b is False:\n        g()\n    h(b)",
    ),
    "a constant that may exist twice": (
        "def f(a):\n    b = 1000 if a else 1000.0\n    if b is 1000:\n        g()",
        "def f(a):\n    if a:\n        g()",
    ),
    "with or try": (
        "def f(a):\n    with a:\n        g()",
        "def f(a):\n    t = a.__exit__\n    a.__enter__()\n    g()\n    t(None, None, None)",
    ),
}
