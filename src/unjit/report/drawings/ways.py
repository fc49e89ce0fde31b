"""Where generated code leads: the graphs and resume functions that it calls, and under which conditions."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from unjit.report.drawings.names import names_in

_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)


@dataclass(frozen=True, slots=True)
class Condition:
    """A test in the code, and what it has to be."""

    test: str  # as the code has it
    holds: bool
    plain: bool  # whether it is the truth of a single value


@dataclass(frozen=True, slots=True)
class Way:
    """A call of one of the names asked for."""

    name: str
    conditions: tuple[Condition, ...]  # all of them, outermost first; empty: always, as far as there is no exception
    repeated: bool  # within a loop


def ways(source: str, names: Iterable[str]) -> tuple[Way, ...]:
    """The calls of these global names in a function's source, in the order of the text; each way once."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    found = _Finder(frozenset(names)).block(tree.body, (), repeated=False)
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class _Finder:
    names: frozenset[str]

    def block(self, body: list[ast.stmt], known: tuple[Condition, ...], *, repeated: bool) -> Iterator[Way]:
        for statement in body:
            yield from self.statement(statement, known, repeated=repeated)
            if isinstance(statement, ast.If):
                known = (*known, *_after(statement))

    def statement(self, statement: ast.stmt, known: tuple[Condition, ...], *, repeated: bool) -> Iterator[Way]:
        again = repeated or isinstance(statement, (ast.For, ast.While, ast.AsyncFor))
        for inner in ast.iter_child_nodes(statement):
            if isinstance(inner, ast.expr):
                yield from self.expression(inner, known, repeated=again)
        if isinstance(statement, ast.If):
            yield from self.block(statement.body, (*known, _condition(statement.test, holds=True)), repeated=repeated)
            yield from self.block(
                statement.orelse, (*known, _condition(statement.test, holds=False)), repeated=repeated
            )
            return
        for part in ("body", "orelse", "finalbody"):
            inside = getattr(statement, part, [])
            yield from self.block(inside, known, repeated=again)
        for handler in getattr(statement, "handlers", ()):
            yield from self.block(handler.body, known, repeated=again)
        for item in getattr(statement, "items", ()):
            yield from self.expression(item.context_expr, known, repeated=again)

    def expression(self, value: ast.expr, known: tuple[Condition, ...], *, repeated: bool) -> Iterator[Way]:
        for name in names_in(value):
            if isinstance(name.ctx, ast.Load) and name.id in self.names:
                yield Way(name.id, known, repeated)


def _condition(test: ast.expr, *, holds: bool) -> Condition:
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, holds = test.operand, not holds
    return Condition(ast.unparse(test), holds, isinstance(test, (ast.Name, ast.Subscript)))


def _after(statement: ast.If) -> Iterator[Condition]:
    """What is known after an `if` of which one side leaves."""
    if statement.body and isinstance(statement.body[-1], _LEAVES):
        yield _condition(statement.test, holds=False)
    elif statement.orelse and isinstance(statement.orelse[-1], _LEAVES):
        yield _condition(statement.test, holds=True)


def truth_of(line: str) -> str | None:
    """The expression whose truth a line of the user's decides by; None where it may be more than one value."""
    for text in (f"{line}\n pass", f"{line.replace('elif', 'if', 1)}\n pass"):
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        statement = tree.body[0] if len(tree.body) == 1 else None
        test = statement.test if isinstance(statement, (ast.If, ast.While)) else None
        if isinstance(test, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
            return ast.unparse(test)
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            return ast.unparse(test)
    return None
