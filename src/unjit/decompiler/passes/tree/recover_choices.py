"""`return a if c else b`, where one statement became two returns.

*What the compiler did*: it copied the return to both arms. *The shape*: an `if` that returns, another return after it,
and both returns of one place in the source, in which the two values stand with the test between them; where no columns
tell (3.10), all of it is on one line. *What we produce*: one return of a choice. *What we refuse*: what all has one
place, such as the code that Dynamo writes: it reads better apart.
"""

from __future__ import annotations

import ast
from itertools import chain
from typing import Protocol

from unjit.decompiler.ir.as_written.asked_tests import as_asked
from unjit.decompiler.ir.as_written.indentation import Indentation
from unjit.decompiler.ir.flow.graph import Graph, Leave
from unjit.decompiler.ir.tree.negation import negated
from unjit.decompiler.ir.tree.notes import copy_mark, offset_of
from unjit.decompiler.ir.tree.suites import rewrite_suites

_RETURNS = frozenset({"RETURN_VALUE", "RETURN_CONST", "LOAD_CONST", "NOP", "POP_EXCEPT", "SWAP", "POP_TOP", "POP_ITER"})


def run(body: list[ast.stmt], graph: Graph) -> list[ast.stmt]:
    lines = [block.last_line for block in graph.blocks if isinstance(block.terminator, Leave)]
    if len(lines) == len({*lines}):
        return body  # no two returns have one line
    told = _ByColumns(graph) if any(graph.positions.all()) else _ByLines(graph)
    return rewrite_suites(body, lambda suite: _chosen(suite, told))


def _chosen(suite: list[ast.stmt], told: _Told) -> list[ast.stmt]:
    """From the end: a choice may be an arm of one before it."""
    done: list[ast.stmt] = []
    for statement in reversed(suite):
        one = done and _one_return(statement, done[-1], told)
        done[-1 if one else len(done) :] = [one or statement]
    return done[::-1]


def _one_return(statement: ast.stmt, after: ast.stmt, told: _Told) -> ast.Return | None:
    match statement, after:
        case ast.If(test=test, body=[ast.Return(value=ast.expr() as value) as one], orelse=[]), ast.Return(
            value=ast.expr() as other
        ) if told.are_one(statement, one, after):
            choice = told.choice(test, value, other)
            returned = ast.Return(choice)
            copy_mark(after, returned)
            return None if choice is None else returned
    return None


class _Told(Protocol):
    """What tells a choice."""

    def are_one(self, statement: ast.If, one: ast.Return, after: ast.Return) -> bool:
        """Whether both returns are one statement, of which `one` is what the `if` does."""

    def choice(self, test: ast.expr, value: ast.expr, other: ast.expr) -> ast.IfExp | None:
        """Of the two values, if the test stands between them."""


class _ByLines:
    """Where there are no columns."""

    def __init__(self, graph: Graph) -> None:
        self.lines = {instr.offset: instr.line for block in graph.blocks for instr in block.instrs}
        self.has_several = len({graph.code.co_firstlineno, *self.lines.values()} - {None}) > 1

    def are_one(self, statement: ast.If, _: ast.Return, after: ast.Return) -> bool:
        nodes = chain(ast.walk(statement), ast.walk(after))
        found = {self.lines.get(mark) for mark in map(offset_of, nodes) if mark is not None}
        return self.has_several and len(found) == 1 and None not in found

    def choice(self, test: ast.expr, value: ast.expr, other: ast.expr) -> ast.IfExp:
        return ast.IfExp(test, value, other)


class _ByColumns:
    def __init__(self, graph: Graph) -> None:
        self.indentation = Indentation(graph)

    def are_one(self, _: ast.If, one: ast.Return, after: ast.Return) -> bool:
        """And not made from the place of what cleans up before them."""
        indentation = self.indentation
        place = indentation.place(one)
        if place is None or place != indentation.place(after):
            return False
        instrs = (instr for block in indentation.graph.blocks for instr in block.instrs if instr.line == place.line)
        return all(instr.op in _RETURNS for instr in instrs if indentation.graph.positions.at(instr.offset) == place)

    def choice(self, test: ast.expr, value: ast.expr, other: ast.expr) -> ast.IfExp | None:
        first, middle, last = (self.indentation.first(_leftmost(part)) for part in (value, test, other))
        if first is None or middle is None or last is None:
            return None
        if first < middle < last:
            return ast.IfExp(test, value, other)
        if last < middle < first:
            return ast.IfExp(as_asked(negated(test)), other, value)
        return None


def _leftmost(value: ast.expr) -> ast.expr:
    """A constant that a choice begins with: nothing else of the choice has its place."""
    return value.body if isinstance(value, ast.IfExp) and isinstance(value.body, ast.Constant) else value
