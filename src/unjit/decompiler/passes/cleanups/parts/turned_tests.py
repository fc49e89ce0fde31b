"""Tests of copies, of which one may ask the opposite of the other.

*What the compiler did*: where a jump goes back to a loop it turned it round (3.12 and later), so that of two copies of
a test one may say `b and (a or c)` and the other `not b or not a and not c`. *The shape*: the same parts, asked in the
same order, joined alike by De Morgan's laws. *What we produce*: the parts to compare, and whether the tests are
opposites.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from unjit.decompiler.ir.tree.negation import asks_opposite, is_negation


class _Joined(NamedTuple):
    """Parts of a test joined by `and` or `or`, none of them by the same again."""

    is_and: bool
    parts: list[_Form]


class _Part(NamedTuple):
    test: ast.expr
    is_denied: bool


_Form = _Joined | _Part


class Alike(NamedTuple):
    """What is to be the same in two tests, and whether they are opposites then."""

    pairs: list[tuple[object, object]]
    are_opposites: bool


def compared(a: ast.expr, b: ast.expr) -> Alike | None:
    """None where the tests join their parts in different ways."""
    pairs: list[tuple[object, object]] = []
    turns: set[bool] = set()
    work = [(_form(a), _form(b))]
    while work:
        one, other = work.pop()
        if isinstance(one, _Joined) and isinstance(other, _Joined) and len(one.parts) == len(other.parts):
            turns.add(one.is_and is not other.is_and)
            work += reversed(list(zip(one.parts, other.parts, strict=True)))
        elif isinstance(one, _Part) and isinstance(other, _Part):
            x, y, is_denied = one.test, other.test, one.is_denied is not other.is_denied
            if isinstance(x, ast.Compare) and isinstance(y, ast.Compare) and asks_opposite(x, y):
                pairs += [(x.left, y.left), (x.comparators, y.comparators)]
                is_denied = not is_denied
            else:
                pairs.append((x, y))
            turns.add(is_denied)
        else:
            return None
    return Alike(pairs, turns == {True}) if len(turns) == 1 else None


def _form(test: ast.expr, *, is_denied: bool = False) -> _Form:
    while is_negation(test):
        test, is_denied = test.operand, not is_denied
    if not isinstance(test, ast.BoolOp):
        return _Part(test, is_denied)
    is_and = isinstance(test.op, ast.And) is not is_denied
    return _Joined(is_and, list(chain.from_iterable(_parts(value, is_and, is_denied) for value in test.values)))


def _parts(value: ast.expr, is_and: bool, is_denied: bool) -> Iterator[_Form]:
    form = _form(value, is_denied=is_denied)
    if isinstance(form, _Joined) and form.is_and is is_and:
        yield from form.parts
    else:
        yield form
