"""Tests of `and`, `or` and `not` in the words in which they were asked.

*What the compiler did*: it turned `not`, `and` and `or` of a test into jumps, so that `not (a is b or c)` and
`a is not b and not c` differ in one thing only: whether it asks for `is` or for `is not`. *The shape*: a test of
several parts, which may have been turned round with its branch. *What we produce*: by De Morgan's laws, the test that
turns as few comparisons as can be, and among those the one that most people write, as `bench/habits.py` counts:
`a and not b`, hardly ever `not (not a or b)`; of two denied, `not a and not b`, but `not (a and b)`.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from unjit.decompiler.ir.negation import is_negation, negated
from unjit.decompiler.ir.notes import copy_mark


def as_asked(test: ast.expr) -> ast.expr:
    """The test itself, or one that means the same in better words."""
    denied = is_negation(test) and isinstance(test.operand, ast.BoolOp)
    return _ways(test).plain.test if denied or isinstance(test, ast.BoolOp) else test


class _Way(NamedTuple):
    """How a test can be said, and how many comparisons that turns, or else how many times it says `not`."""

    turned: int
    nots: int
    test: ast.expr


class _Ways(NamedTuple):
    plain: _Way
    opposite: _Way


def _ways(test: ast.expr) -> _Ways:
    if is_negation(test):
        plain, opposite = _ways(test.operand)
        return _Ways(opposite, plain)
    if isinstance(test, ast.BoolOp):
        parts = [_ways(value) for value in test.values]
        other = ast.Or() if isinstance(test.op, ast.And) else ast.And()
        plain = _all(test, test.op, [part.plain for part in parts])
        opposite = _all(test, other, [part.opposite for part in parts])
        return _Ways(min(plain, _not(opposite), key=_cost), min(opposite, _not(plain), key=_cost))
    turned = getattr(test, "turned", None)
    other_test = negated(test)
    return _Ways(_Way(turned is True, 0, test), _Way(turned is False, isinstance(other_test, ast.UnaryOp), other_test))


def _all(test: ast.BoolOp, operator: ast.boolop, ways: list[_Way]) -> _Way:
    joined = ast.BoolOp(operator, [way.test for way in ways])
    copy_mark(test, joined)
    return _Way(sum(way.turned for way in ways), sum(way.nots for way in ways), joined)


def _not(way: _Way) -> _Way:
    said = ast.UnaryOp(ast.Not(), way.test)
    copy_mark(way.test, said)
    assert isinstance(way.test, ast.BoolOp)
    is_rare = way.nots > 0 or (isinstance(way.test.op, ast.Or) and len(way.test.values) == 2)
    return _Way(way.turned, way.nots + 1 + is_rare, said)


def _cost(way: _Way) -> tuple[int, int]:
    return way.turned, way.nots
