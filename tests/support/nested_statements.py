"""Statements in each other, all of them: a function for each way to put each small statement into each compound one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random

HERE = "@"
AROUND = {
    "if": "if a:\n    @",
    "else": "if a:\n    g(b)\nelse:\n    @",
    "try": "try:\n    @\nexcept E:\n    h(b)",
    "try as": "try:\n    @\nexcept E as e:\n    h(e)",
    "except": "try:\n    g(a)\nexcept E:\n    @",
    "except as": "try:\n    g(a)\nexcept E as e:\n    @",
    "try else": "try:\n    g(a)\nexcept E:\n    h(b)\nelse:\n    @",
    "try finally": "try:\n    @\nfinally:\n    h(b)",
    "finally": "try:\n    g(a)\nfinally:\n    @",
    "else finally": "try:\n    g(a)\nexcept E:\n    h(b)\nelse:\n    @\nfinally:\n    k(a)",
    "except finally": "try:\n    g(a)\nexcept E:\n    @\nfinally:\n    k(a)",
    "try except finally": "try:\n    @\nexcept E:\n    h(a)\nfinally:\n    k(a)",
    "with": "with b:\n    @",
    "with as": "with b as y:\n    @",
    "for": "for y in b:\n    @",
    "for else": "for y in b:\n    if y:\n        break\nelse:\n    @",
    "for found": "for y in b:\n    if y:\n        @\n        break\nelse:\n    raise E",
    "for once": "for y in b:\n    @\n    break\nelse:\n    raise E",
    "while": "while a:\n    @",
    "while true": "while True:\n    if a:\n        break\n    @",
    "case": "match a:\n    case [y, _]:\n        @",
    "case _": "match a:\n    case 1:\n        g(1)\n    case _:\n        @",
}
VALUES = (
    "x if a else b", "a and b", "a or z", "not a", "a < b < c", "z", "g(a)", "a", "1", "None",
    "(a if b else c) or k(a < b < c)", "[i for i in a if i]", "lambda: a", "f'{a}{b if c else z!r}'", "(y := a) and y",
)  # fmt: skip
SIMPLE = (
    *(f"return {value}" for value in VALUES), *(f"x = {value}" for value in VALUES), *VALUES,
    "raise", "raise E(a)", "raise E(a if b else c)", "raise E(a < b < c)", "break", "continue", "if a:\n    break",
    "if a:\n    continue\ng(1)", "if a:\n    break\nelif b:\n    continue\ng(1)", "assert a, b",
    "return", "if a:\n    return\ng(1)", "if a:\n    return b\ng(1)",
    "for i in a:\n    if i:\n        return\n    g(i)", "with a:\n    if b:\n        return\n    g(b)",
    "try:\n    g(a)\nexcept E:\n    return False\ng(1)",
    "assert a < b < c, (a or b)", "del x", "x += a if b else c", "a.p = x = b", "a, b = b, a", "import os",
    "from os import path", "x: int = a", "global q\nq = a or b", "yield a", "x = yield a or b", "await g(a)", "pass",
)  # fmt: skip
AFTER = ("", "h(c)", "return c", "x = 1", "try:\n    return a\nexcept E:\n    pass")


def modules(depth: int) -> Iterator[tuple[str, str]]:
    """The same as modules, without what only a function may have."""
    for what, text in functions(depth):
        lines = [line[4:] for line in text.split("\n")[1:]]
        if not any(word in text for word in ("return", "yield", "await", "global")):
            yield what, "\n".join(lines)


def functions(depth: int) -> Iterator[tuple[str, str]]:
    """The text of each function, with what it is; some are no Python, such as a `break` outside of loops."""
    for names in itertools.product(AROUND, repeat=depth):
        for statement, after in itertools.product(SIMPLE, AFTER):
            yield _function(names, statement, after)


def drawn(depth: int, count: int, seed: int) -> Iterator[tuple[str, str]]:
    """So many of these functions by chance, where there are too many to make each."""
    chance, names = Random(seed), list(AROUND)
    for _ in range(count):
        yield _function(tuple(chance.choices(names, k=depth)), chance.choice(SIMPLE), chance.choice(AFTER))


def _function(names: tuple[str, ...], statement: str, after: str) -> tuple[str, str]:
    text = statement
    for name in reversed(names):
        text = _within(AROUND[name], text)
    head = "async def" if "await" in statement else "def"
    body = "\n".join(filter(None, ("x = c", text, after)))
    return " within ".join((statement, *reversed(names))), f"{head} f(a, b, c):\n{_indented(body, 4)}\n"


def on_header_lines(text: str) -> str:
    """The text with each suite of small statements alone on the line of its header, as `if a: return b`."""
    lines, done = [line for line in text.split("\n") if line.strip()], list[str]()
    while lines:
        line = lines.pop(0)
        end = next((k for k, other in enumerate(lines) if _depth(other) <= _depth(line)), len(lines))
        within = lines[:end]
        if within and not line.startswith(_FUNCTION_HEADERS) and not any(map(_is_compound, within)):
            del lines[:end]
            line += " " + "; ".join(map(str.strip, within))
        done.append(line)
    return "\n".join([*done, ""])


_FUNCTION_HEADERS = "def ", "async def "


def _is_compound(line: str) -> bool:
    return line.endswith(":") or line.strip().startswith(("if ", "case "))


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _within(around: str, text: str) -> str:
    lines = around.split("\n")
    place = next(k for k, line in enumerate(lines) if line.strip() == HERE)
    lines[place] = _indented(text, lines[place].index(HERE))
    return "\n".join(lines)


def _indented(text: str, by: int) -> str:
    return "\n".join(" " * by + line for line in text.split("\n"))
