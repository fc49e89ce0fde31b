"""Programs full of lists, tuples and dicts that several variables share, programs changed in one place, and a judge.

The judge runs both, with exceptions at several calls: all that calls see and what is returned must be the same, and
the same places must hold the same object.
"""

from __future__ import annotations

import itertools
import random
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType

VARIABLES = ("a", "b", "c", "d")
_BEGINNINGS = ("[]", "[p]", "[p, q]", "(p, q)", "(p,)", "{'k': p}", "{'k': [p]}", "[[p], q]", "[p, p, 0]", "{}")
_ATOMS = (*VARIABLES * 2, "p", "q", "0", "1", "'k'", "None", "see()", "(0, 1)")
_INDICES = ("0", "-1", "1", "'k'", "p", "0:1", ":", "1:")
_HEADS = ("if p:", "if see():", "for i in q:", "for a in q:", "while see():", "try:")
_ENDS = ("return a, b, c, d", "return a", "return [a, b]", "return a is b, c, d")
_VARIABLE = re.compile(r"(?<![\w'])[abcd](?![\w'])")
_MOST_CALLS, _DEEP, _LONG = 25, 6, 1.0  # calls of one run, levels of what is looked at, seconds
FAILING = (0, 1, 2, 3, 4, 6, 9)  # which call raises; 0: none does
Body = list[str]


class Writer:
    """Random programs, each a function of `p`, `q` and `see`."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def one_of(self, *texts: str) -> str:
        return self.random.choice(texts)

    def variable(self) -> str:
        return self.one_of(*VARIABLES)

    def atoms(self) -> list[str]:
        return [self.one_of(*_ATOMS) for _ in range(self.random.randint(0, 3))]

    def display(self) -> str:
        items = self.atoms()
        entries = ", ".join(f"'{key}': {item}" for key, item in zip("kxy", items, strict=False))
        listed = ", ".join(items)
        return self.one_of(
            *[f"[{listed}]"] * 4,
            f"({''.join(f'{item}, ' for item in items)})",
            f"{{{entries}}}",
            f"[*{self.variable()}, {listed}]",
            f"(*{self.variable()}, {listed})",
            f"{{**{self.variable()}, {entries}}}",
            f"[{self.variable()}, [{listed}]]",
        )

    def value(self) -> str:
        return self.one_of(
            *[self.variable()] * 3,
            *[self.display()] * 4,
            f"{self.variable()}[{self.one_of(*_INDICES)}]",
            f"{self.variable()} if p else {self.display()}",
            f"{self.variable()} or {self.display()}",
            f"{self.variable()} + [{self.variable()}]",
            f"{self.variable()} is {self.variable()}",
            f"see({self.variable()})",
        )

    def statement(self) -> str:
        one, other = self.variable(), self.variable()
        return self.one_of(
            *[f"{one} = {self.value()}"] * 5,
            f"{one} = {other} = {self.value()}",
            f"{one}, {other} = {other}, {self.variable()}",
            f"{one}, {other} = {self.variable()}",
            f"{one}[{self.one_of(*_INDICES)}] = {self.value()}",
            f"del {one}[{self.one_of('0', '-1', ':')}]",
            f"{one} += {self.display()}",
            f"{one}.append({other})",
            *[f"see({one})", f"see({one}, {other})", f"see({one} is {other})"],
        )

    def suite(self, depth: int, most: int) -> Body:
        lines: Body = []
        for _ in range(self.random.randint(1, most)):
            lines += self.compound(depth) if depth < 2 and self.random.random() < 0.28 else [self.statement()]
        return lines

    def compound(self, depth: int) -> Body:
        head = self.one_of(*_HEADS)
        lines = [head, *_indented(self.suite(depth + 1, 3))]
        if head == "try:":
            lines += [self.one_of("except ValueError:", "except Exception as x:", "finally:")]
            lines += _indented(self.suite(depth + 1, 2))
        elif head.startswith("if") and self.random.random() < 0.5:
            lines += ["else:", *_indented(self.suite(depth + 1, 2))]
        elif head.startswith("for") and self.random.random() < 0.3:
            lines += ["    if see(p): break"]
        return lines

    def program(self) -> Body:
        first = [f"{name} = {self.one_of(*_BEGINNINGS, *VARIABLES[:k])}" for k, name in enumerate(VARIABLES)]
        return [*first, *self.suite(0, 6), self.one_of(*_ENDS)]

    def changed(self, body: Body) -> Body:
        lines = list(body)
        for _ in range(self.random.choice((1, 1, 1, 2))):
            simple = [k for k, line in enumerate(lines) if not line.endswith(":") and "break" not in line]
            self.random.choice((self._renamed, self._turned, self._kept, self._replaced))(lines, simple)
        return lines

    def _renamed(self, lines: Body, simple: list[int]) -> None:
        """Another variable, or a copy, for one of those in a line."""
        k = self.random.choice(simple)
        found = list(_VARIABLE.finditer(lines[k]))
        if found:
            place = self.random.choice(found)
            new = self.one_of(*VARIABLES, f"[*{place.group()}]")
            lines[k] = lines[k][: place.start()] + new + lines[k][place.end() :]

    def _turned(self, lines: Body, simple: list[int]) -> None:
        one, other = self.random.choice(simple), self.random.choice(simple)
        if _indent(lines[one]) == _indent(lines[other]):
            lines[one], lines[other] = lines[other], lines[one]

    def _kept(self, lines: Body, simple: list[int]) -> None:
        """What is stored goes through a variable of its own, or one more variable gets something."""
        k = self.random.choice(simple)
        target, sign, value = lines[k].strip().partition(" = ")
        room = _indent(lines[k])
        if sign and " = " not in value:
            lines[k : k + 1] = [f"{room}t = {value}", f"{room}{target} = t"]
        else:
            lines.insert(k, f"{room}{self.one_of('t', *VARIABLES)} = {self.variable()}")

    def _replaced(self, lines: Body, simple: list[int]) -> None:
        k = self.random.choice(simple)
        lines[k] = _indent(lines[k]) + self.one_of("pass", self.statement())


def _indented(lines: Body) -> Body:
    return [f"    {line}" for line in lines]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


@dataclass(frozen=True)
class Made:
    """A program as text and as the function that it defines."""

    text: str
    function: FunctionType

    @property
    def code(self) -> CodeType:
        return self.function.__code__


def made(body: Body) -> Made | None:
    """None where it is no Python."""
    text = "\n".join(["def f(p, q, see):", *_indented(body)])
    found: dict[str, FunctionType] = {}
    try:
        exec(compile(text, "<aliases>", "exec", dont_inherit=True), found)
    except SyntaxError:
        return None
    return Made(text, found["f"])


def pairs_of(seed: int, changes: int = 6) -> Iterator[tuple[Made, Made]]:
    """One program, beside each of so many changed ones that are Python, and not the same text."""
    writer = Writer(seed)
    body = writer.program()
    one = made(body)
    for _ in range(changes if one else 0):
        other = made(writer.changed(body))
        if one and other and one.text != other.text:
            yield one, other


class Seen:
    """What calls were given and what came back: contents, and which lists and dicts are one."""

    def __init__(self, failing: int) -> None:
        self.failing = failing
        self.told: list[object] = []
        self.known: dict[int, object] = {}  # kept alive, so that no other object gets its address

    def see(self, *values: object) -> object:
        self.told.append([self.looked_at(value) for value in values])
        if len(self.told) in (self.failing, _MOST_CALLS):
            raise ValueError
        return values[0] if values and len(self.told) % 2 else len(self.told) % 3

    def looked_at(self, value: object, depth: int = 0) -> object:
        if depth > _DEEP or not isinstance(value, list | tuple | dict):
            return type(value), repr(value) if isinstance(value, int | str) else ""
        if isinstance(value, tuple):
            return tuple([self.looked_at(part, depth + 1) for part in value])
        self.known.setdefault(id(value), value)
        parts = value.items() if isinstance(value, dict) else value
        return [list(self.known).index(id(value)), *[self.looked_at(part, depth + 1) for part in parts]]


def behaviour(program: Made, p: int, q: tuple[int, ...], failing: int) -> object:
    """All that it shows; None where that takes too long."""
    seen = Seen(failing)
    before = signal.signal(signal.SIGALRM, _too_late)
    signal.setitimer(signal.ITIMER_REAL, _LONG)
    try:
        seen.told.append(seen.looked_at(program.function(p, q, seen.see)))
    except TimeoutError:
        return None
    except Exception as error:
        seen.told.append(type(error))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return seen.told


def _too_late(*_: object) -> None:
    raise TimeoutError


def differ(one: Made, other: Made) -> bool:
    """Whether they do not show the same, whatever they are given and whichever call raises."""
    for given in itertools.product((0, 1), ((), (1,), (0, 2, 3)), FAILING):
        first, second = behaviour(one, *given), behaviour(other, *given)
        if first != second and None not in (first, second):
            return True
    return False
