"""Random functions full of lists, tuples and dicts, and ways to spoil them at one place."""

from __future__ import annotations

import ast
import copy
from random import Random

HIDDEN = ("_p", "_q", "_s")  # what Dynamo would keep on the stack
FIRST = ("[]", "[]", "[a]", "[a, b]", "(a,)", "[[a]]")
INSERTED = ("_p = [a]", "_q = [a, b]", "_p[0] = a", "_q = _p", "_q = _p[:]", "_s = [*_p]", "_p = []", "_q = [_p]")


class Writer:
    """Few values, many displays, little that fails."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.depth = 0

    def one_of(self, *texts: str) -> str:
        return self.random.choice(texts)

    def variable(self) -> str:
        return self.random.choices([self.one_of(*HIDDEN), "x", self.one_of("a", "b")], [8, 1, 2])[0]

    def target(self) -> str:
        return self.random.choices([self.one_of(*HIDDEN), "x"], [6, 1])[0]

    def index(self) -> str:
        return self.one_of("0", "0", "-1", "1")

    def bounds(self) -> str:
        return self.one_of(":", ":", "1:", ":1", ":-1", "::-1", "0:0")

    def several(self, depth: int, least: int = 0) -> list[str]:
        return [self.expression(depth + 1) for _ in range(self.random.randint(least, 2))]

    def expression(self, depth: int = 0) -> str:
        chance = 0.0 if depth > 1 else self.random.random()
        if chance < 0.5:
            return self.variable()
        if chance < 0.75:
            return f"[{', '.join(self.several(depth))}]"
        if chance < 0.8:
            return f"({', '.join(self.several(depth, 1))},)"
        if chance < 0.87:
            keys = self.random.sample(("k", "l"), 2)
            return "{" + ", ".join(f"'{key}': {self.expression(depth + 1)}" for key in keys) + "}"
        if chance < 0.93:
            return f"{self.variable()}[{self.bounds()}]"
        if chance < 0.97:
            return f"{self.variable()}[{self.index()}]"
        return f"[*{self.variable()}, *{self.variable()}]"

    def call(self) -> str:
        chance, one, other = self.random.random(), self.variable(), self.variable()
        if chance < 0.6:
            arguments = ", ".join(self.several(0))
        elif chance < 0.75:
            arguments = f"*{one}"
        elif chance < 0.85:
            arguments = f"**{{'k': {one}}}, **{{'{self.one_of('k', 'l', 'm')}': {other}}}"
        else:
            arguments = f"{one}, k={other}"
        return f"{self.one_of('g', 'h')}({arguments})"

    def statement(self) -> list[str]:
        chance, hidden = self.random.random(), self.one_of(*HIDDEN)
        if chance < 0.25:
            return [f"{self.target()} = {self.expression()}"]
        if chance < 0.35:
            return [f"{hidden}[{self.index()}] = {self.expression(1)}"]
        if chance < 0.4:
            return [f"{hidden}[{self.bounds()}] = {self.variable()}"]
        if chance < 0.44:
            return [f"del {hidden}[{self.one_of(self.index(), self.bounds())}]"]
        if chance < 0.72:
            return [self.call()]
        if chance < 0.78:
            return [f"{self.target()} = {self.call()}"]
        if chance < 0.8:
            return ["h(lambda: x)"]
        return [f"{hidden}, x = {self.expression()}"] if self.depth > 1 else self.compound(chance)

    def compound(self, chance: float) -> list[str]:
        self.depth += 1
        if chance < 0.9:
            test = self.one_of("a", "b", f"{self.variable()} is {self.variable()}", self.variable())
            lines = [f"if {test}:", *self.body(), "else:", *self.body()]
        elif chance < 0.97:
            lines = [f"for {self.one_of('x', '_v')} in a:", *self.body()]
        else:
            lines = ["try:", *self.body(), "except Boom:", *self.body()]
        self.depth -= 1
        return lines

    def body(self) -> list[str]:
        return [f"    {line}" for _ in range(self.random.randint(1, 3)) for line in self.statement()]

    def function(self) -> str:
        first = [f"    {name} = {self.one_of(*FIRST)}" for name in HIDDEN]
        lines = [line for _ in range(self.random.randint(1, 3)) for line in self.body()]
        return "\n".join(("def f(a, b):", *first, *lines, f"    return {self.expression()}"))


def spoilt(source: str, random: Random) -> str:
    """The function changed at one place, perhaps to one that does the same."""
    tree = ast.parse(source)
    if random.random() < 0.35:
        spoil_statement(tree, random)
    else:
        nodes = [node for node in ast.walk(tree) if type(node) in OF_KIND]
        node = random.choice(nodes)
        OF_KIND[type(node)](node, random)
    return ast.unparse(ast.fix_missing_locations(tree))


def spoil_statement(tree: ast.Module, random: Random) -> None:
    bodies = [part.body for part in ast.walk(tree) if isinstance(part, (ast.FunctionDef, ast.If, ast.For, ast.Try))]
    body = random.choice(bodies)
    at, chance = random.randrange(len(body)), random.random()
    if chance < 0.4 and at + 1 < len(body):
        body[at], body[at + 1] = body[at + 1], body[at]
    elif chance < 0.6 and len(body) > 1:
        del body[at]
    elif chance < 0.8:
        body.insert(at, copy.deepcopy(body[at]))
    else:
        body[at:at] = ast.parse(random.choice(INSERTED)).body


def spoil_name(node: ast.Name, random: Random) -> None:
    if node.id in ("g", "h"):
        node.id = "h" if node.id == "g" else "g"
    elif isinstance(node.ctx, ast.Load) and random.random() < 0.25:
        whole = ast.parse(f"{node.id}[:]", mode="eval").body
        assert isinstance(whole, ast.Subscript)
        node.__class__ = ast.Subscript  # type: ignore[assignment]
        node.value, node.slice = whole.value, whole.slice  # type: ignore[attr-defined]
    else:
        node.id = random.choice((*HIDDEN, "a", "b", "x"))


def spoil_constant(node: ast.Constant, random: Random) -> None:
    node.value = random.choice((0, 1, 2) if type(node.value) is int else ("k", "l", "m"))


def spoil_elements(node: ast.List | ast.Tuple, random: Random) -> None:
    if not node.elts or not isinstance(node.ctx, ast.Load):
        return
    at, chance = random.randrange(len(node.elts)), random.random()
    if chance < 0.3:
        del node.elts[at]
    elif chance < 0.5:
        node.elts.insert(at, copy.deepcopy(node.elts[at]))
    elif chance < 0.8:
        node.elts.append(node.elts.pop(0))
    else:
        node.elts[at] = ast.Name(random.choice(HIDDEN), ast.Load())


def spoil_dict(node: ast.Dict, random: Random) -> None:
    node.values.append(node.values.pop(0))
    if random.random() < 0.5:
        node.keys.append(node.keys.pop(0))


OF_KIND = {
    ast.Name: spoil_name,
    ast.Constant: spoil_constant,
    ast.List: spoil_elements,
    ast.Tuple: spoil_elements,
    ast.Dict: spoil_dict,
}
