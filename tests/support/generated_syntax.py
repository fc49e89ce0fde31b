"""Random functions with every statement and expression of the running Python, over the callables of `behaviour`."""

from __future__ import annotations

from generated_programs import DEEPEST, Program
from unjit.bytecode import versions as v

OPERATORS = ("+", "-", "*", "@", "/", "//", "%", "**", "<<", ">>", "&", "|", "^")
COMPARISONS = ("<", "<=", "==", "!=", ">", ">=", "is", "is not", "in", "not in")
CONSTANTS = (
    *("0", "1", "(-1)", "(2 ** 70)", "2.5", "(-0.0)", "1j", "True", "None", "..."),
    *("''", "'s\\n'", "b'b'", "(1, 'k')"),
)
PATTERNS = (
    "0", "-1.5", "'s'", "None", "{one}", "_", "[]", "[{one}, {other}]", "({one}, *_)", "[{one}, *{other}, _]", "{{}}",
    "{{'k': {one}}}", "{{1: 2, **{one}}}", "C()", "C({one})", "C(p={one})", "0 | 1 | None", "C(p=0 | 1) as {one}",
    "[(0 | 1) as {one}, _]", "G.q", "[[{one}], C()]", "str() as {one}", "int({one})",
)  # fmt: skip
BINDING_NOTHING = ("0", "None", "'s'", "str()", "C(p=1)", "[]", "[_, 1]", "{'k': 2}", "G.q")
BINDING_ALIKE = ("str(z) | int(z)", "(z, _) | [z]", "C(p=z) | D(z)")
AROUND = ("[{}, x]", "C(p={}, q=y)", "[x, C({})]", "({}) as x", "[_, ({}) as y]", "[({}), *x]", "{{'k': ({})}}")

class Syntax(Program):
    """The text of a module with one function `f(a, b, c)`: plain, a generator, a coroutine or an async generator."""

    compound = (
        *("if_", "for_", "while_", "try_", "with_", "match_", "def_", "class_"),
        *(("groups",) if v.PY311 else ()),
        *(("type_",) if v.PY312 else ()),
    )

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.yields = self.random.random() < 0.2
        self.is_async = self.random.random() < 0.15
        self.in_handler = 0
        self.valued = not (self.is_async and self.yields)  # an async generator returns nothing
        self.deepest = self.random.randint(1, DEEPEST)

    def text(self) -> str:
        head = "async def" if self.is_async else "def"
        first = ["    x = y = a", *(["    yield x"] if self.yields else [])]
        return "\n".join([f"{head} f(a, b, c{self.parameters()}):", *first, *self.suite(1)]) + "\n"

    def parameters(self) -> str:
        return self.random.choice(("", "", "", ", *, k", ", /, d", ", d, /, *, k"))

    # ------------------------------------------------------------ simple
    def simple(self, depth: int) -> list[str]:
        if self.random.random() < 0.4:
            return super().simple(depth)
        one, other, name = self.expression(), self.expression(), self.name()
        made = [
            f"{name} {self.random.choice(OPERATORS)}= {one}", f"{one}.p += {other}", f"{one}[{other}] -= a",
            f"x, *y = {one}", f"(x, [y]), {name} = {one}", f"x = {one}.p = y = {other}", f"{one}[a:{other}] = b",
            f"{name}: {one} = {other}", f"x: {one}", f"g(*{one}, **{other})", f"h({one}, *b, k={other}, **c)",
            f"del {name}; {name} = {one}", f"del a[{one}], b.p", f"raise {one} from {other}", f"assert {one}", "pass",
            f"import os.path as {name}", "import os.path, sys as y", f"from os import path as {name}, sep", f"'{name}'",
            f"for {name} in *a, b: g({one})", f"x = {one}; g(x); y = x",
        ]  # fmt: skip
        if self.yields:
            made += [f"{name} = yield", f"x = [(yield {one}), {other}]"]
            made += [] if self.is_async else [f"{name} = yield from {one}", f"g((yield from {one}))"]
        if self.is_async:
            made += [f"await {one}", f"{name} = await {one}", f"g(await {one}, {other})"]
        return [self.random.choice(made)]

    def leave(self, depth: int) -> list[str]:
        if not self.valued:
            return ["return"]
        if self.in_handler and self.random.random() < 0.3:
            return ["raise"]
        return super().leave(depth)

    def name(self) -> str:
        return self.random.choice(("x", "y"))

    def expression(self, deep: int = 0) -> str:
        if deep > 1 or self.random.random() < 0.5:
            return super().expression(deep)
        one, other, more = (self.expression(deep + 1) for _ in range(3))
        name, made = self.random.choice("uw"), self.random.choice(("[{}]", "{{{}}}", "g({})", "({})"))
        loop, item = f"for {name} in {one} if {self.condition(deep + 1)}", f"h({name}, {other})"
        return self.random.choice([
            self.random.choice(CONSTANTS), f"({one} {self.random.choice(OPERATORS)} {other})", f"(-{one})", f"(~{one})",
            f"k({one} {self.random.choice(COMPARISONS)} {other})", f"({one} if {other} is not None else {more})",
            f"({one} < {other} != {more})", f"({self.name()} := {one})", f"({one}, *{other})", f"[*{one}, {other}]",
            f"{{*{one}}}",
            f"{{{one}: {other}, **{more}}}", f"{{'k': {one}, 'm': {other}}}", f"{{{one}, {other}}}",
            f"g({one}, *{other})", f"g({one}, k={other}, **{more})", f"a.m({one}).n({other}, k={more})",
            f"{one}[{other}:{more}]", f"{one}[::{other}, ...]", f"a[{one}:]", "f'{a}{{}}{b!r:>{c}}'",
            "f'{a.p!s}-{b=}'", f"(lambda p, q={one}, *r, s={other}: {more})", f"(lambda: (x, {one}))",
            made.format(f"{item} {loop}"), made.format(f"{item} {loop} for x in {name}"),
            f"{{{name}: {item} {loop}}}", f"[[{item} {loop}] for y in {more}]",
        ])  # fmt: skip

    # ------------------------------------------------------------ compound
    def with_(self, depth: int) -> list[str]:
        head, *body = super().with_(depth)
        return [f"async {head}" if self.is_async and self.random.random() < 0.5 else head, *body]

    def for_(self, depth: int) -> list[str]:
        head, *rest = super().for_(depth)
        if self.random.random() < 0.3:
            head = f"for {self.random.choice(('x, y', 'x, *y', 'b.p'))} in {self.expression()}:"
        return [f"async {head}" if self.is_async and self.random.random() < 0.5 else head, *rest]

    def try_(self, depth: int) -> list[str]:
        self.in_handler += 1
        made = super().try_(depth)
        self.in_handler -= 1
        return made

    def groups(self, depth: int) -> list[str]:
        """No `return`, `break` or `continue` may leave an `except*`."""
        loops, self.loops, valued = self.loops, 0, self.leave
        self.leave = self.simple  # type: ignore[method-assign]
        handler = [f"except* {self.random.choice(('KeyError', 'ValueError as e', '(KeyError, OSError)'))}:"]
        made = ["try:", *self.suite(depth + 1), *handler, *self.suite(depth + 1)]
        self.loops, self.leave = loops, valued  # type: ignore[method-assign]
        return [*made, "finally:", *self.suite(depth + 1)] if self.random.random() < 0.2 else made

    def match_(self, depth: int) -> list[str]:
        inside, lines = "    " * (depth + 1), [f"match {self.random.choice((self.expression(), 'a, b', '[x, y, c]'))}:"]
        for _ in range(self.random.randint(1, 3)):
            pattern = self.pattern()
            guard = f" if {self.condition()}" if pattern in ("x", "_") or self.random.random() < 0.3 else ""
            lines += [f"{inside}case {pattern}{guard}:", *self.suite(depth + 2)]
        return lines + ([f"{inside}case _:", *self.suite(depth + 2)] if self.random.random() < 0.4 else [])

    def pattern(self) -> str:
        """One of those above, or alternatives within another."""
        if self.random.random() < 0.7:
            return self.random.choice(PATTERNS).format(one="x", other="y")
        alternatives = " | ".join(self.random.sample(BINDING_NOTHING, self.random.randint(2, 3)))
        return self.random.choice(AROUND).format(self.random.choice((alternatives, *BINDING_ALIKE)))

    def def_(self, depth: int) -> list[str]:
        head = self.random.choice((
            "def {}(p, q={}):", "def {}(*p, **q) -> {}:", "def {}(p: a, /, q=1, *, r={}):", "async def {}(p={}):",
        ))  # fmt: skip
        around = [*self.random.choice(([], [], [f"@{self.random.choice('gh')}"], ["@g(a)", "@h.k"]))]
        start = self.random.choice(([], ["nonlocal c"], ["global z", "z = a"], ["'''A docstring.'''"]))
        return [*around, head.format(self.name(), self.expression()), *self.inner(depth, start)]

    def inner(self, depth: int, start: list[str]) -> list[str]:
        """The body of another function: it neither yields nor awaits, and is in no loop of this one."""
        kept = self.loops, self.yields, self.is_async, self.valued, self.in_handler
        self.loops, self.yields, self.is_async, self.valued, self.in_handler = 0, False, False, True, 0
        inside = "    " * (depth + 1)
        lines = [*(inside + line for line in start), *self.suite(depth + 1)]
        self.loops, self.yields, self.is_async, self.valued, self.in_handler = kept
        return lines

    def class_(self, depth: int) -> list[str]:
        inside = "    " * (depth + 1)
        head = f"class {self.name()}{self.random.choice(('', '(object)', '(*[], metaclass=type)'))}:"
        body = [f"p = {self.expression()}", f"q: {self.expression()} = p", f"if {self.condition()}: r = __module__"]
        method = ["def m(self, p=a):", f"    self.__q = {self.expression()}", "    return super().m, __class__"]
        return [head, *(inside + line for line in [*self.random.sample(body, 2), *method])]

    def type_(self, _depth: int) -> list[str]:
        return [self.random.choice((
            "type x = a", "type y[T] = T | g(b)", "def y[T: a](p: T) -> T: return p", "class x[T, *U, **P]: q: T = a",
        ))]  # fmt: skip
