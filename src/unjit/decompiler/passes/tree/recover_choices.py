"""`return a if c else b`, where one statement became two returns.

*What the compiler did*: it copied the return to both arms. *The shape*: an `if` that returns, another return behind it,
and both returns of one place in the source, in which the two values stand with the test between them (3.11 and later).
*What we produce*: one return of a choice. *What we refuse*: what all has one place, such as the code that Dynamo
writes: it reads better apart.
"""

from __future__ import annotations

import ast

from unjit.bytecode import versions as v
from unjit.decompiler.ir.asked_tests import as_asked
from unjit.decompiler.ir.graph import Graph, Leave
from unjit.decompiler.ir.indentation import Indentation
from unjit.decompiler.ir.negation import negated
from unjit.decompiler.ir.notes import copy_mark
from unjit.decompiler.ir.suites import rewrite_suites

_RETURNS = frozenset({"RETURN_VALUE", "RETURN_CONST", "LOAD_CONST", "NOP", "POP_EXCEPT", "SWAP", "POP_TOP", "POP_ITER"})


def run(body: list[ast.stmt], graph: Graph) -> list[ast.stmt]:
    lines = [block.last_line for block in graph.blocks if isinstance(block.terminator, Leave)]
    if not v.PY311 or len(lines) == len({*lines}):
        return body  # no two returns have one line
    indentation = Indentation(graph)
    return rewrite_suites(body, lambda suite: _chosen(suite, indentation))


def _chosen(suite: list[ast.stmt], indentation: Indentation) -> list[ast.stmt]:
    """From the end: a choice may be an arm of one in front of it."""
    done: list[ast.stmt] = []
    for statement in reversed(suite):
        one = done and _one_return(statement, done[-1], indentation)
        done[-1 if one else len(done) :] = [one or statement]
    return done[::-1]


def _one_return(statement: ast.stmt, behind: ast.stmt, indentation: Indentation) -> ast.Return | None:
    match statement, behind:
        case ast.If(test=test, body=[ast.Return(value=ast.expr() as value) as one], orelse=[]), ast.Return(
            value=ast.expr() as other
        ) if _are_one(one, behind, indentation):
            choice = _choice(test, value, other, indentation)
            returned = ast.Return(choice)
            copy_mark(behind, returned)
            return None if choice is None else returned
    return None


def _are_one(one: ast.stmt, other: ast.stmt, indentation: Indentation) -> bool:
    """Whether both were made from one place in the source, and not from that of what cleans up in front of them."""
    place = indentation.place(one)
    if place is None or place != indentation.place(other):
        return False
    instrs = (instr for block in indentation.graph.blocks for instr in block.instrs if instr.line == place.line)
    return all(instr.op in _RETURNS for instr in instrs if indentation.graph.positions.at(instr.offset) == place)


def _choice(test: ast.expr, value: ast.expr, other: ast.expr, indentation: Indentation) -> ast.IfExp | None:
    """Of the two values, if the test stands between them."""
    first, middle, last = (indentation.first(_leftmost(part)) for part in (value, test, other))
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
