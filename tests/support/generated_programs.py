"""Small random functions over the callables of `behaviour`: every statement nested in every other."""

from __future__ import annotations

from random import Random

DEEPEST = 3
NAMES = ("a", "b", "c", "x", "y")
ERRORS = ("KeyError", "ValueError", "OSError", "(KeyError, OSError)")


class Program:
    """The text of one function `f(a, b, c)`; a generator when `yields`."""

    compound = ("if_", "if_", "for_", "while_", "try_", "try_", "with_")
    deepest = DEEPEST

    def __init__(self, seed: int, *, yields: bool = False) -> None:
        self.random = Random(seed)
        self.yields = yields
        self.loops = 0

    def text(self) -> str:
        body = self.suite(1)
        return "\n".join(["def f(a, b, c):", "    x = y = a", *(["    yield x"] if self.yields else []), *body])

    def suite(self, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            lines += self.statement(depth)
        return lines

    def statement(self, depth: int) -> list[str]:
        kinds = ["simple"] * 4 + ["leave"]
        if depth <= self.deepest:
            kinds += self.compound
        made = getattr(self, self.random.choice(kinds))(depth)
        return ["    " * depth + line if not line.startswith(" ") else line for line in made]

    # ------------------------------------------------------------ simple
    def simple(self, _depth: int) -> list[str]:
        name, value = self.random.choice(("x", "y")), self.expression()
        return [self.random.choice([
            f"{name} = {value}", f"{name} += {value}", f"g({value})", f"{value}.p = {name}", f"{name}[{value}] = a",
            f"x, y = y, {value}", f"assert {self.condition()}, {value}", f"del {value}.q", f"h({value}, k={name})",
            f"{name} = {'(yield ' + value + ')' if self.yields else value}", f"{name} = lambda: {value}",
        ])]  # fmt: skip

    def leave(self, _depth: int) -> list[str]:
        ways = [f"return {self.expression()}", f"raise ValueError({self.expression()})", "return"]
        if self.loops:
            ways += ["break", "continue"] * 2
        return [self.random.choice(ways)]

    def expression(self, deep: int = 0) -> str:
        name = self.random.choice(NAMES)
        if deep > 1:
            return name
        one, other = self.expression(deep + 1), self.expression(deep + 1)
        return self.random.choice([
            name, name, f"g({one})", f"h({one}, {other})", f"{name}.attr", f"({one} + {other})", f"({one} and {other})",
            f"({one} or {other})", f"({one} if {self.condition(deep + 1)} else {other})", f"[{one}, {other}]",
            f"(not {one})", f"{name}[{one}]", f"k({one} < {other} < {name})",
        ])  # fmt: skip

    def condition(self, deep: int = 0) -> str:
        one, other = self.expression(deep + 1), self.expression(deep + 1)
        return self.random.choice([
            one, f"{one} and {other}", f"{one} or {other}", f"not {one}", f"{one} is None", f"{one} < {other}",
            f"{one} and ({other} or c)", f"{one} < {other} <= c", f"not ({one} and {other})", f"(x := {one})",
        ])  # fmt: skip

    # ------------------------------------------------------------ compound
    def if_(self, depth: int) -> list[str]:
        lines = [f"if {self.condition()}:", *self.suite(depth + 1)]
        if self.random.random() < 0.25:
            lines += [f"elif {self.condition()}:", *self.suite(depth + 1)]
        return lines + (["else:", *self.suite(depth + 1)] if self.random.random() < 0.4 else [])

    def for_(self, depth: int) -> list[str]:
        return self.loop(f"for {self.random.choice(('x', 'y'))} in {self.expression()}:", depth)

    def while_(self, depth: int) -> list[str]:
        if self.random.random() < 0.5:
            return self.loop(f"while {self.condition()}:", depth)
        head, *body = self.loop("while True:", depth)
        return [head, "    " * (depth + 1) + "g(x)", *body]  # an event, so that no run goes on for ever

    def loop(self, head: str, depth: int) -> list[str]:
        self.loops += 1
        body = self.suite(depth + 1)
        self.loops -= 1
        return [head, *body] + (["else:", *self.suite(depth + 1)] if self.random.random() < 0.25 else [])

    def with_(self, depth: int) -> list[str]:
        more = self.random.choice(("", " as x", f", {self.expression()} as y"))
        return [f"with {self.expression()}{more}:", *self.suite(depth + 1)]

    def try_(self, depth: int) -> list[str]:
        lines = ["try:", *self.suite(depth + 1)]
        handlers = self.random.randint(0, 2)
        for _ in range(handlers):
            named = self.random.choice(("", " as e"))
            again = [["    " * (depth + 1) + "raise"], []][self.random.random() < 0.8]
            lines += [f"except {self.random.choice(ERRORS)}{named}:", *self.suite(depth + 1), *again]
        if handlers and self.random.random() < 0.3:
            lines += ["else:", *self.suite(depth + 1)]
        if not handlers or self.random.random() < 0.3:
            loops, self.loops = self.loops, 0
            lines += ["finally:", *self.suite(depth + 1)]
            self.loops = loops
        return lines
