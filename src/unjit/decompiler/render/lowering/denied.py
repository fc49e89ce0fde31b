"""`not a in b`, of which the compiler makes what it makes of `a not in b`.

*What the compiler did*: before 3.14 it said `not a in b` and `not a is b` in the other words when it read the source,
since then where they are a value; but from Python 3.11 on it notes columns. *The shape*: a comparison by `not in` or
`is not`, of two things that stand too close to one another for these words. *What we produce*: the opposite comparison,
denied. *What we refuse*: what is not on one line, or of which nothing tells where it ends or begins.
"""

from __future__ import annotations

import ast

from unjit.bytecode import versions as v
from unjit.bytecode.instructions.positions import Position, Positions
from unjit.decompiler.ir.as_written.places import place_of
from unjit.decompiler.ir.tree.constants import is_none
from unjit.decompiler.ir.tree.negation import OPPOSITE
from unjit.decompiler.ir.tree.notes import offset_of

_DENYING = (ast.NotIn, ast.IsNot)
_LEAST = len("not in")  # both words are as long, and brackets may stand close to them


def was_denied(compared: ast.Compare, positions: Positions) -> bool:
    """Whether the opposite of this comparison was written, with a `not` before it."""
    if len(compared.ops) != 1 or not isinstance(compared.ops[0], _DENYING):
        return False
    if is_none(compared.comparators[0]) and offset_of(compared.comparators[0]) is None:
        return _jump_says_is_none(compared.left, positions)
    whole = place_of(compared, positions)
    if whole is None or whole.width is None:
        return False
    ends, begins = _end(compared.left, whole, positions), _beginning(compared.comparators[0], whole, positions)
    return ends is not None and begins is not None and 0 <= begins - ends < _LEAST


def denied(compared: ast.Compare) -> ast.expr:
    """`not` and the opposite comparison."""
    opposite = ast.Compare(compared.left, [OPPOSITE[type(compared.ops[0])]()], compared.comparators)
    return ast.UnaryOp(ast.Not(), opposite)


def _jump_says_is_none(left: ast.expr, positions: Positions) -> bool:
    """Whether a jump that asks for None, from Python 3.12 on with the place of the question, has room for `is None`."""
    own = place_of(left, positions)
    if own is None:
        return False
    places = [place for place in positions.on_line(own.line) if place[:2] == own[:2] and place.end_line == own.end_line]
    widths = {place.end_column - own.end_column for place in places}
    return len(" is None") in widths and len(" is not None") not in widths


def _end(left: ast.expr, whole: Position, positions: Positions) -> int | None:
    """The column at which the left side ends; None where nothing tells."""
    place = place_of(left, positions)
    if place is not None:
        return place.end_column if place.end_line == whole.line else None
    # From 3.14 on the place of a comparison that is a value begins with the `not`.
    return whole.column + len(left.id.encode()) if isinstance(left, ast.Name) and not v.PY314 else None


def _beginning(right: ast.expr, whole: Position, positions: Positions) -> int | None:
    """The column at which the right side begins, no further to the left than it is; None where nothing tells."""
    place = place_of(right, positions)
    if place is not None and place.line == whole.line and place != whole:
        return place.column
    return whole.end_column - len(right.id.encode()) if isinstance(right, ast.Name) else None
