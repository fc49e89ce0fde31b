"""Negation: the opposite of a test, and whether one test is the opposite of another.

`is not` is the opposite of `is`, `test` that of `not test`; De Morgan's laws hold where they cost no `not`.
"""

from __future__ import annotations

import ast
from typing import TypeGuard

from unjit.bytecode import versions as v
from unjit.decompiler.ir.tree.compare import same_expression
from unjit.decompiler.ir.tree.constants import is_none
from unjit.decompiler.ir.tree.notes import copy_mark

OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
# From 3.14 on a test of `not a in b` is compiled as it is written; before, it is one of `a not in b`.
_KEEP_NOT = (ast.Is, ast.In) if v.PY314 else ()


def negated(test: ast.expr) -> ast.expr:
    """The opposite test, written as a person would."""
    if is_negation(test):
        return test.operand
    asked: ast.expr | None = getattr(test, "asked", None)
    if asked is not None:
        return _with_values_of(test, asked)
    changed: ast.expr
    if isinstance(test, ast.Compare) and _has_opposite(test):
        changed = ast.Compare(test.left, [OPPOSITE[type(test.ops[0])]()], test.comparators)
        if (turned := getattr(test, "turned", None)) is not None:
            changed.turned = not turned  # type: ignore[attr-defined]  # a note of ours on the node
    elif isinstance(test, ast.BoolOp) and _has_opposite(test):
        other = ast.Or() if isinstance(test.op, ast.And) else ast.And()
        changed = ast.BoolOp(other, [negated(value) for value in test.values])
    elif isinstance(test, ast.IfExp) and any(map(is_negation, (test.body, test.orelse))):
        changed = ast.IfExp(test.test, negated(test.body), negated(test.orelse))
    else:
        changed = ast.UnaryOp(ast.Not(), test)
    copy_mark(test, changed)
    changed.asked = test  # type: ignore[union-attr]  # a note of ours on the node: the opposite of the opposite
    return changed


def _with_values_of(test: ast.expr, asked: ast.expr) -> ast.expr:
    """The test that `test` was made from by negation, with the operands that `test` has by now: passes changed them."""
    if isinstance(test, ast.Compare) and isinstance(asked, ast.Compare):
        asked.left, asked.comparators = test.left, test.comparators
    elif isinstance(test, ast.BoolOp) and isinstance(asked, ast.BoolOp):
        asked.values = [negated(value) for value in test.values]
    elif isinstance(test, ast.IfExp) and isinstance(asked, ast.IfExp):
        asked.test, asked.body, asked.orelse = test.test, negated(test.body), negated(test.orelse)
    return asked


def _has_opposite(test: ast.expr) -> bool:
    """Whether the opposite needs no `not`."""
    if isinstance(test, ast.UnaryOp):
        return is_negation(test)
    if isinstance(test, ast.BoolOp):
        return all(map(_has_opposite, test.values))
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or type(test.ops[0]) not in OPPOSITE:
        return False
    return not isinstance(test.ops[0], _KEEP_NOT) or is_none(test.comparators[0])


def is_negation(test: ast.expr) -> TypeGuard[ast.UnaryOp]:
    """Whether it begins with `not`."""
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


def are_opposites(a: ast.expr, b: ast.expr) -> bool:
    """Whether one asks, of the same values in the same order, just what the other denies."""
    if is_negation(a):
        return same_expression(a.operand, b)
    if is_negation(b):
        return same_expression(a, b.operand)
    if isinstance(a, ast.BoolOp) and isinstance(b, ast.BoolOp):
        return (
            type(a.op) is not type(b.op)
            and len(a.values) == len(b.values)
            and all(map(are_opposites, a.values, b.values))
        )
    if isinstance(a, ast.IfExp) and isinstance(b, ast.IfExp):
        return same_expression(a.test, b.test) and are_opposites(a.body, b.body) and are_opposites(a.orelse, b.orelse)
    if isinstance(a, ast.Compare) and isinstance(b, ast.Compare) and asks_opposite(a, b):
        return same_expression(a.left, b.left) and same_expression(a.comparators[0], b.comparators[0])
    return False


def asks_opposite(a: ast.Compare, b: ast.Compare) -> bool:
    """Whether of the same values one comparison would ask what the other denies."""
    return len(a.ops) == len(b.ops) == 1 and OPPOSITE.get(type(a.ops[0])) is type(b.ops[0])
