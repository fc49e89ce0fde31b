"""Tests of `and`, `or` and `not` in the words in which they were asked.

*What the compiler did*: it turned `not`, `and` and `or` of a test into jumps, so that `not (a is b or c)` and
`a is not b and not c` differ in one thing only: whether it asks for `is` or for `is not`. *The shape*: a test of
several parts, which may have been turned round with its branch. *What we produce*: by De Morgan's laws, the test that
turns as few comparisons as can be; among those the one that fits between the places of its parts, where these are
known (3.11 and later); and among those the one that most people write, as `bench/habits.py` counts: `a and not b`,
hardly ever `not (not a or b)`; of two denied, `not a and not b`, but `not (a and b)`. Beside a comparison with None
each part is denied by itself, `not a and b is None`, which a script that is not in the repository counted.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from unjit.bytecode.instructions.positions import Position, Positions
from unjit.decompiler.ir.as_written.places import place_of
from unjit.decompiler.ir.tree.constants import is_none
from unjit.decompiler.ir.tree.negation import is_negation, negated
from unjit.decompiler.ir.tree.notes import copy_mark, offset_of

_TOO_WIDE = 20  # worse than what leaves room for parentheses


def as_asked(test: ast.expr, positions: Positions | None = None) -> ast.expr:
    """The test itself, or one that means the same in better words."""
    denied = is_negation(test) and isinstance(test.operand, ast.BoolOp)
    return _Saying(positions).ways(test).plain.test if denied or isinstance(test, ast.BoolOp) else test


class _Way(NamedTuple):
    """How a test can be said, and how well.

    That is how many comparisons it turns; how badly its words fit into the room between the parts; and how many times
    it says `not`. `before` and `after` are how many characters stand before its first part and after its last.
    """

    turned: int
    misfit: int
    nots: int
    test: ast.expr
    before: int = 0
    after: int = 0


class _Ways(NamedTuple):
    plain: _Way
    opposite: _Way


class _Saying:
    def __init__(self, positions: Positions | None) -> None:
        self.positions = positions

    def ways(self, test: ast.expr) -> _Ways:
        if is_negation(test):
            plain, opposite = self.ways(test.operand)
            return _Ways(opposite, plain)
        if isinstance(test, ast.BoolOp):
            other = ast.Or() if isinstance(test.op, ast.And) else ast.And()
            parts = list(self._groups(test, other, [self.ways(value) for value in test.values]))
            if len(parts) == 1:
                return parts[0]
            plain = self._all(test, test.op, [part.plain for part in parts])
            opposite = self._all(test, other, [part.opposite for part in parts])
            return _Ways(min(plain, _not(opposite), key=_cost), min(opposite, _not(plain), key=_cost))
        turned, denied = getattr(test, "turned", None), negated(test)
        says_not = isinstance(denied, ast.UnaryOp)
        opposite = _Way(turned is False, 0, says_not, denied, len("not ") if says_not else 0)
        return _Ways(_Way(turned is True, 0, 0, test), opposite)

    def _groups(self, test: ast.BoolOp, other: ast.boolop, parts: list[_Ways]) -> Iterator[_Ways]:
        """The parts; those in one where `not (a or b)` is all that there is room for, and the two are denied apart."""
        group = parts[:1]
        for part in parts[1:]:
            if self._has_room_for(other, group[-1], part):
                group.append(part)
                continue
            yield self._one(test, other, group)
            group = [part]
        yield self._one(test, other, group)

    def _has_room_for(self, word: ast.boolop, one: _Ways, other: _Ways) -> bool:
        """Whether two parts that are denied stand apart by no more than that word."""
        if not is_negation(one.plain.test) or not is_negation(other.plain.test) or self.positions is None:
            return False
        return self._room(one.opposite, other.opposite, word) == 0

    def _one(self, test: ast.BoolOp, other: ast.boolop, group: list[_Ways]) -> _Ways:
        if len(group) == 1:
            return group[0]
        opposite = self._all(test, other, [part.opposite for part in group])
        return _Ways(_not(opposite), opposite)

    def _all(self, test: ast.BoolOp, operator: ast.boolop, ways: list[_Way]) -> _Way:
        joined = ast.BoolOp(operator, [value for way in ways for value in _values(way.test, operator)])
        copy_mark(test, joined)
        parts = [_in_parentheses(way) if _needs_parentheses(way.test, operator) else way for way in ways]
        misfit = sum(_misfit(self._room(one, other, operator)) for one, other in pairwise(parts))
        misfit += sum(way.misfit for way in ways)
        nots = sum(way.nots for way in ways)
        return _Way(sum(way.turned for way in ways), misfit, nots, joined, parts[0].before, parts[-1].after)

    def _room(self, one: _Way, other: _Way, operator: ast.boolop) -> int | None:
        """How many characters are left between two parts by what is said there; None where nothing tells."""
        left, right = self._place(_end_of(one.test, -1)), self._place(_end_of(other.test, 0))
        if left is None or right is None or left.end_line != right.line:
            return None
        said = one.after + len(" and " if isinstance(operator, ast.And) else " or ") + other.before
        return right.column - left.end_column - said

    def _place(self, part: ast.expr) -> Position | None:
        """From where to where a part stands; of a comparison with None by a jump, where it would in these words."""
        place = self._noted(part)
        if place is None or not isinstance(part, ast.Compare):
            return place
        left, right = self._noted(part.left), part.comparators[0]
        if left is None:
            return None
        if is_none(right) and offset_of(right) is None:
            words = " is None" if isinstance(part.ops[0], ast.Is) else " is not None"
            return left._replace(end_column=left.end_column + len(words))
        return place if left.column == place.column and left.end_column < place.end_column else None

    def _noted(self, part: ast.expr) -> Position | None:
        """The place of what a part was made from; None where the code has no columns."""
        return None if self.positions is None else place_of(part, self.positions)


def _misfit(room: int | None) -> int:
    """How badly a word fits into the room for it, where there may be parentheses as well."""
    if room is None:
        return 0
    return _TOO_WIDE if room < 0 else room


def _end_of(test: ast.expr, which: int) -> ast.expr:
    """The first or the last part of a test."""
    while isinstance(test, ast.BoolOp) or is_negation(test):
        test = test.values[which] if isinstance(test, ast.BoolOp) else test.operand
    return test


def _values(test: ast.expr, operator: ast.boolop) -> list[ast.expr]:
    """What the operator joins: the parts of a test that it joins itself."""
    return test.values if isinstance(test, ast.BoolOp) and type(test.op) is type(operator) else [test]


def _needs_parentheses(test: ast.expr, around: ast.boolop) -> bool:
    return isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) and isinstance(around, ast.And)


def _in_parentheses(way: _Way) -> _Way:
    return way._replace(before=way.before + 1, after=way.after + 1)


def _not(way: _Way) -> _Way:
    said = ast.UnaryOp(ast.Not(), way.test)
    copy_mark(way.test, said)
    assert isinstance(way.test, ast.BoolOp)
    is_one_of_two = isinstance(way.test.op, ast.Or) and len(way.test.values) == 2
    is_rare = way.nots > 0 or is_one_of_two or any(map(_asks_for_none, way.test.values))
    before, after = way.before + len("not ("), way.after + len(")")
    return _Way(way.turned, way.misfit, way.nots + 1 + is_rare, said, before, after)


def _asks_for_none(test: ast.expr) -> bool:
    """Whether `is None` and `is not None` are the same jump: people deny neither, but say the other."""
    return (
        isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is | ast.IsNot) and is_none(test.comparators[0])
    )


def _cost(way: _Way) -> tuple[int, int]:
    """Of two that leave room, the one that says `not` less often may leave more: for a pair of parentheses."""
    return way.turned, way.misfit + len("()") * way.nots
