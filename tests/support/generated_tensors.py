"""Functions of tensors, drawn by chance, for torch.compile: graph breaks wherever a person could have put one.

Breaks stand in statements and in the midst of expressions, in `with`, `try`, `if` and loops, in helpers and closures;
data decide branches, and lists, dicts, attributes, globals and variables of the outer function change on the way.
`outcome` of a seed is all that its four calls did: for `replacing.both`, and for tests/programs/drawn.py.
"""

from __future__ import annotations

import itertools
import linecache
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch._dynamo

_TENSORS, _NUMBERS = ("x", "y", "z"), ("n", "m")
_BEGINNING = """\
import torch
from torch._dynamo import graph_break

LOG, SCALE, TOTAL = [], 2.0, 0


@torch._dynamo.disable
def note(value=None, *more, **named):
    LOG.append(float(value.sum()) if isinstance(value, torch.Tensor) else repr(value))
    LOG.append((len(more), sorted(named)))
    return value


@torch._dynamo.disable
def fail(value):
    LOG.append("fail")
    if float(value.sum()) > 1:
        raise ValueError("too much")
    return value


class Manager:
    def __init__(self, name, swallow=False):
        self.name, self.swallow = name, swallow

    def __enter__(self):
        LOG.append("in " + self.name)
        return self

    def __exit__(self, kind, value, trace):
        LOG.append("out " + self.name)
        return self.swallow and kind is not None


class Box:
    def __init__(self, value, count=0):
        self.value, self.count = value, count

    @property
    def double(self):
        return self.value * 2

    def add(self, other):
        self.count += 1
        self.value = self.value + other
        return self


def plainly(value, *more, scale=2, **named):
    return value * scale + sum(more) + sum(named.values())
"""
_PARAMETERS = "x, y, n, m, items, table, box, text='abc'"
_SIMPLE_BREAKS = ("graph_break()", "note(x)", "note(n)", "note(text, x, n, key=y)", "note(f'{n!r:>4}{text}')")


class Writer:
    """One module: helpers, closures and `program`, the function to compile."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numbers = itertools.count(1)
        self.in_loop = False

    def module(self) -> str:
        helper = self.function("helper", _PARAMETERS, 2)
        return f"{_BEGINNING}\n\n{helper}\n\n{self.function('program', _PARAMETERS, 3)}"

    def function(self, name: str, parameters: str, depth: int) -> str:
        self.inlined = name == "program"
        lines = ["global TOTAL", "z = x + y", *self.suite(depth, self.random.randint(2, 6)), f"return {self.result()}"]
        return f"def {name}({parameters}):\n" + "\n".join(f"    {line}" for line in lines) + "\n"

    def one_of(self, *texts: str) -> str:
        return self.random.choice(texts)

    # ------------------------------------------------------------ expressions
    def tensor(self, depth: int = 2) -> str:
        name, number = self.one_of(*_TENSORS), self.one_of(*_NUMBERS, "1", "2.5", "SCALE", "len(items)", "box.count")
        if not depth:
            plain = (*_TENSORS, "box.value", "table['t']", "box.double")
            return self.one_of(*plain, f"{name} * {number}", f"{name}.sin()")
        one, other = self.tensor(depth - 1), self.tensor(depth - 1)
        return self.one_of(
            f"({one} {self.one_of('+', '-', '*')} {other})",
            f"({one} + {number})",
            f"torch.{self.one_of('sin', 'relu', 'neg', 'tanh')}({one})",
            f"torch.where({one} > 0, {one}, {other})",
            f"note({one})",
            f"note({one}, {other}, k={self.one_of(*_NUMBERS)})",
            f"plainly({one}, {other}, {number}, scale={number}, other={other})",
            f"plainly(*({one}, {other}), **{{'k': {number}}})",
            f"({one} if {self.test()} else {other})",
            f"sum([{one}, {other}, *items])",
            f"sum(i * {number} for i in ({one}, {other}))",
            f"sum([i + {number} for i in items], {one})",
            f"(lambda a, b={number}: a * b + {self.one_of(*_TENSORS)})({one})",
            f"torch.stack([{one}, {other}])[{self.one_of('0', '1', '-1')}]",
            f"box.add({one}).value",
            f"{{'a': {one}, 'b': {other}}}['{self.one_of('a', 'b')}']",
            f"(w := {one}) * w",
        )

    def test(self) -> str:
        name, number = self.one_of(*_TENSORS), self.one_of(*_NUMBERS)
        return self.one_of(
            f"{name}.sum() > 0",
            f"{number} > {self.one_of('0', '1', '2')}",
            f"0 <= {number} < 2",
            f"note({number}) and {name}.mean() > {number}",
            f"note({number}) > 1 or {number} == 0",
            f"not items or {name}.max() > 1",
            f"{number} in (1, 2)",
            f"{name} is not None",
            "'t' in table",
            "isinstance(box, Box)",
            "text == 'abc'",
        )

    def result(self) -> str:
        return self.one_of(
            self.tensor(1),
            "x, y, z",
            f"{{'x': x, 'more': [z, n, {self.tensor(1)}]}}",
            f"[z, {self.tensor(1)}, TOTAL, text]",
            f"note({self.tensor(1)}), box.value",
        )

    # ------------------------------------------------------------ statements
    def suite(self, depth: int, most: int = 3) -> list[str]:
        return [line for _ in range(self.random.randint(1, most)) for line in self.statement(depth)]

    def statement(self, depth: int) -> list[str]:
        if depth and self.random.random() < 0.45:
            return self.random.choice([self.branch, self.loop, self.tried, self.block, self.closure])(depth - 1)
        return [self.simple()]

    def simple(self) -> str:
        name, other, number = self.one_of(*_TENSORS), self.one_of(*_TENSORS), self.one_of(*_NUMBERS)
        leave = self.one_of("break", "continue") if self.in_loop and self.random.random() < 0.3 else ""
        return leave or self.one_of(
            *[f"{name} = {self.tensor()}"] * 4,
            *[self.one_of(*_SIMPLE_BREAKS)] * 4,
            f"{name}, {other} = {other}, {self.tensor(1)}",
            f"{name}, *rest = {self.tensor(1)}, {number}, {other}",
            f"{name} += {self.tensor(1)}",
            f"{number} += 1",
            f"items.append({self.tensor(1)})",
            f"items[{self.one_of(':1', ':0', '1:')}] = [{self.tensor(1)}]",
            f"table['{self.one_of('t', 'u')}'] = {self.tensor(1)}",
            f"table.update(u={name}, v={number})",
            f"box.value = {self.tensor(1)}",
            "box.count += 1",
            f"box.new = {self.tensor(1)}",
            "TOTAL += 1",
            f"text = f'{{{number}}}{{text}}'",
            f"{name}.add_({number})",
            f"{name} = fail({name})",
            f"assert {self.test()}, 'asserted'",
            f"{name} = {self.called_helper() if self.inlined else self.tensor()}",
            f"if {self.test()}: return {self.result()}",
        )

    def called_helper(self) -> str:
        call = f"helper({self.tensor(1)}, {self.tensor(0)}, n, m, items, table, box)"
        return f"({call}, {self.tensor(0)})[1]"

    def branch(self, depth: int) -> list[str]:
        lines = [f"if {self.test()}:", *indented(self.suite(depth))]
        if self.random.random() < 0.3:
            lines += [f"elif {self.test()}:", *indented(self.suite(depth))]
        if self.random.random() < 0.6:
            lines += ["else:", *indented(self.suite(depth))]
        return lines

    def loop(self, depth: int) -> list[str]:
        count, outside = f"i{next(self.numbers)}", self.in_loop
        self.in_loop = True
        body = self.suite(depth)
        self.in_loop = outside
        head = self.one_of(f"for {count} in range(2):", f"for {count}, z in enumerate(items[:2]):", "for z in [x, y]:")
        if self.random.random() < 0.3:
            return [f"{count} = 0", f"while {count} < 2:", f"    {count} += 1", *indented(body)]
        return [head, *indented(body)]

    def tried(self, depth: int) -> list[str]:
        kind = self.one_of("ValueError", "(ValueError, AssertionError)", "Exception")
        handler = [f"except {kind}{self.one_of('', ' as error')}:", *indented(self.suite(depth))]
        last = ["finally:", *indented(self.without_leaving(depth))]
        failing = [self.one_of("x = fail(x)", "raise ValueError(text)", "z = fail(z) + note(y)", "pass")]
        lines = ["try:", *indented([*self.suite(depth), *failing])]
        return lines + self.random.choice([handler, last, handler + last])

    def without_leaving(self, depth: int) -> list[str]:
        outside, self.in_loop = self.in_loop, False
        lines = self.suite(depth)
        self.in_loop = outside
        return lines

    def block(self, depth: int) -> list[str]:
        manager = self.one_of(
            "torch.no_grad()",
            "torch.enable_grad()",
            "torch.autocast('cpu', enabled=False)",
            "Manager('a')",
            "Manager('b') as kept",
            "Manager('c', swallow=True)",
            "torch.no_grad(), Manager('d')",
        )
        return [f"with {manager}:", *indented(self.suite(depth))]

    def closure(self, depth: int) -> list[str]:
        name = f"inner{next(self.numbers)}"
        outside, self.in_loop = self.in_loop, False
        outer = ["nonlocal x, y, z, n, m, text", "global TOTAL"]
        body = [*outer, *self.suite(min(depth, 1)), f"return {self.tensor(1)}"]
        self.in_loop = outside
        return [f"def {name}(a, b=n):", *indented(body), *self.suite(0, 2), f"y = {name}({self.tensor(0)})"]


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def text_of(seed: int) -> str:
    """The module of a seed; always the same, and valid Python."""
    writer = Writer(seed)
    while True:  # a closure may name as nonlocal what it has as a parameter, or a global of its outer function
        text = writer.module()
        try:
            compile(text, "<drawn>", "exec")
        except SyntaxError:
            continue
        return text


def loaded(text: str, name: str) -> dict[str, Any]:
    """A module made of the text, which tracebacks and `inspect` find by the name, be there a file or not."""
    if not Path(name).is_file():
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": "drawn", "__file__": name}
    exec(compile(text, name, "exec"), namespace)
    return namespace


def arguments_of(namespace: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Four calls: other signs, sizes, numbers and lengths."""
    made = []
    for size, sign, n, m in ((4, 1, 1, 2), (4, -1, 1, 2), (6, 1, 0, 3), (6, -1, 3, 0)):
        x, y = sign * torch.linspace(0.1, 1, size), torch.linspace(-1, 1, size)
        made.append((x, y, n, m, [x + 1, y][:n], {"t": x * 2}, namespace["Box"](y + 1)))
    return made


Compiled = tuple[dict[str, Any], Callable[..., Any]]  # a module, and its program compiled


def compiled_program(seed: int, backend: str = "eager", name: str = "", *, below: int = 0) -> Compiled:
    """A seed's program, below so many empty lines: torch takes equal functions of one process for each other."""
    namespace = loaded("\n" * below + text_of(seed), name or f"<drawn {seed}>")
    return namespace, torch.compile(namespace["program"], backend=backend)


def outcome_of(namespace: dict[str, Any], compiled: Callable[..., Any]) -> tuple[object, ...]:
    """What each call gave or raised, its arguments and grad mode afterwards, the log and the globals."""
    done = []
    for arguments in arguments_of(namespace):
        try:
            result = compiled(*arguments)
        except Exception as error:
            result = f"{type(error).__name__}: {error}".splitlines()[0]
        done.append((result, arguments[:-1], vars(arguments[-1]), torch.is_grad_enabled()))
        torch.set_grad_enabled(True)  # Dynamo may leave it off when an assertion fails in `no_grad`
    return done, list(namespace["LOG"]), namespace["TOTAL"]


def outcome(seed: int, backend: str = "eager", name: str = "") -> tuple[object, ...]:
    """The outcome of a seed's program, compiled; with odd seeds inlined functions may break as well."""
    with torch._dynamo.config.patch(nested_graph_breaks=bool(seed % 2)):
        return outcome_of(*compiled_program(seed, backend, name))
