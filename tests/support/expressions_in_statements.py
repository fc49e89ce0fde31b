"""Expressions in expressions in statements, laid out as people and formatters do, and values that change places.

Run as a script, it prints what of a sample is not natural as JSON: that is how the other interpreters take part.
"""

from __future__ import annotations

import io
import itertools
import json
import random
import sys
import tokenize
from types import CodeType

INNER = [
    "b if c else d", "b if c else None", "b and c", "b or c", "a < b < c", "b if c and d else e",
    "b if c else d if e else f", "(b or c) and d", "not b", "[x for x in b if c]", "b.y if x.y > 0 else g(c)",
    "b if c is not None else []", "{x: y for x in b}", "g(b) and c.d", "b if not c else {}", "lambda: b if c else d",
    "0 < b[0] <= c and not d", "b if c else (d, e)", "b[c] if c in b else None", "b in (1, 2) or c",
    "b is None and c is not d", "(b if c else d) or e", "[x if x else y for x in b]", "f'{b}' if c else ''",
    "b if c == 1 else -1", "1 if b else 0", "b if c else False",
]  # fmt: skip
AROUND = [
    "{I}", '{{"k": h(a), "v": ({I})}}', '{{"v": ({I}), "k": a}}', '{{"v": ({I}), "w": ({I})}}', "{{a: ({I})}}",
    "[a, ({I})]", "[({I}), h(a)]", "(a, ({I}))", "{{a, ({I})}}", "h(a, ({I}))", "h(({I}), a)", "h(k=({I}))",
    "h(a, j=1, k=({I}))", "h(*({I}))", "h(a, **({I}))", "o.m(({I}))", "o.m(a)(({I}))", "o.m(({I})).n(a)", "a[({I})]",
    "a[({I}):b]", "a + ({I})", "({I}) + a", "a < ({I})", "f'{{a}}{{({I})}}'", "not ({I})", "({I}).x", "({I})()",
    "[h(z, ({I})) for z in a]", "h(a) if ({I}) else b", "h([a, ({I})], {{'k': ({I})}})", "dict(a=h(a), b=({I}))",
    "o.m(h(a, ({I})), b)", "self.x(a, k=[({I})])", "a % (b, ({I}))", "-({I})", "'s' + ({I})",
    "h(a=a, b=b, c=c, d=d, e=e, f=f, g=g, h=h, i=i, j=j, k=k, l=l, m=m, n=n, o=o, p=p, q=({I}))",
]  # fmt: skip
STATEMENTS = [
    "return {C}", "y = {C}", "y = {C}\n    return y", "self.y = {C}", "y[0] = {C}", "if {C}:\n        g()",
    "if {C}:\n        g()\n    return 1", "for q in {C}:\n        g()", "for q in p:\n        y = {C}",
    "for q in p:\n        if {C}:\n            g()", "for q in p:\n        if {C}:\n            continue\n        g()",
    "for q in p:\n        if {C}:\n            return q\n    return None", "while {C}:\n        g()", "raise E({C})",
    "if a:\n        raise E({C})\n    g()", "yield {C}", "assert {C}, m", "with {C} as y:\n        g()",
    "try:\n        return {C}\n    except E:\n        return None", "try:\n        y = {C}\n    finally:\n        g()",
    "y += {C}", "del y[{C}]", "if a:\n        return {C}\n    else:\n        return {C}", "a, b = {C}",
    "if a:\n        y = {C}\n    else:\n        y = 1", "return g({C})", "x: int = {C}", "with w:\n        return {C}",
    "if p:\n        return\n    y = {C}\n    g(y)", "print({C})\n    return y", "for q in p:\n        y.append({C})",
    "with w:\n        y = {C}", "if a:\n        y = {C}", "{C}.y = a", "{C}[0] = {C}", "{C}.y += a", "del {C}.y",
    "if a:\n        {C}.y = b\n    else:\n        {C}[a:b] = p", "try:\n        g()\n    finally:\n        {C}.y = w",
]  # fmt: skip
_OPENING, _CLOSING = {"(", "[", "{", ","}, {")", "]", "}"}
_OPERATORS = {"and", "or", "if", "else", "for"}
LAYOUTS = {
    "on one line": (set[str](), set[str]()),
    "a token a line": (None, set[str]()),
    "operators in front": (_OPERATORS, set[str]()),
    "an item a line": (_CLOSING, _OPENING),
    "as a formatter does": (_OPERATORS | _CLOSING, _OPENING),
}


def laid_out(text: str, before: set[str] | None, after: set[str]) -> str:
    """The text with a new line before and after these words, where they stand in brackets; None: before all.

    Within an f-string nothing is changed.
    """
    made, depth, fields, last = "", 0, 0, None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind, word = tokenize.tok_name[token.type], token.string
        if kind in ("INDENT", "DEDENT", "ENDMARKER"):
            continue
        fields -= kind == "FSTRING_END"
        is_whole = fields or kind == "FSTRING_END"
        if depth and not is_whole and (before is None or word in before or (last and last.string in after)):
            made += "\n            "
        elif last is not None and last.end[0] == token.start[0]:
            made += token.line[last.end[1] : token.start[1]]
        if last is None or last.end[0] != token.start[0]:
            made += token.line[: token.start[1]]
        made += word
        fields += kind == "FSTRING_START"
        depth += 0 if is_whole else (word in ("(", "[", "{")) - (word in _CLOSING)
        last = token
    return made


def functions(count: int, seed: int):
    """So many functions, drawn by chance, each with what it is made of."""
    ways = list(itertools.product(STATEMENTS, AROUND, INNER, LAYOUTS))
    for statement, around, inner, layout in random.Random(seed).sample(ways, count):
        expression = f"({around.format(I=inner)})"
        text = f"def function(self, a, b, c, d, e, o, p, w):\n    {statement.replace('{C}', expression)}\n"
        yield f"{inner} in {around} in {statement}, {layout}", laid_out(text, *LAYOUTS[layout])


def swaps():
    """Every assignment of two or three locals at once, of themselves and others, some of them in closures."""
    before = ["", "a, b = 1, 0", "a, b, c = x", "a = x", "for a in x: pass"]
    after = ["return a", "return lambda: b", "return lambda: (a, c)"]
    for first, last, number in itertools.product(before, after, (2, 3)):
        for targets in itertools.permutations("abc", number):
            for values in itertools.product(["a", "b", "c", "f(a)"], repeat=number):
                swap = f"{', '.join(targets)} = {', '.join(values)}"
                yield f"{swap} between {first} and {last}", f"def f(a, b, c, x):\n    {first}\n    {swap}\n    {last}\n"


def stores():
    """A third of the assignments of two or three places at once, locals, attributes and items."""
    for number in (2, 3):
        ways = itertools.product(
            itertools.permutations(["a", "b", "x.p", "x[0]"], number),
            itertools.product(["a", "b", "x.p", "f(a)"], repeat=number),
        )
        for targets, values in itertools.islice(ways, 0, None, 3):
            store = f"{', '.join(targets)} = {', '.join(values)}"
            yield store, f"def f(a, b, x):\n    {store}\n    return a, b\n"


def unnatural(count: int, seed: int) -> list[tuple[str, str]]:
    """What has a variable of ours or no source, with why."""
    from unjit.decompiler import Verdict, decompile

    found = []
    for what, text in itertools.chain(functions(count, seed), swaps(), stores()):
        try:
            module = compile(text, "expressions", "exec", dont_inherit=True)
        except SyntaxError:  # an f-string of several lines, up to 3.11
            continue
        answer = decompile(next(const for const in module.co_consts if isinstance(const, CodeType)))
        if answer.synthetic.total or answer.verdict is Verdict.OPAQUE:
            found.append((what, answer.reason or answer.source))
    return found


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    print(json.dumps(unnatural(int(sys.argv[1]), int(sys.argv[2]))))
