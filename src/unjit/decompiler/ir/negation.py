"""The opposite of a test: `is not` for `is`, De Morgan's laws where they cost no `not`, `test` for `not test`."""

from __future__ import annotations

import ast

from unjit.bytecode import versions as v
from unjit.decompiler.ir.nodes import copy_mark

_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
# From 3.14 on a test of `not a in b` is compiled as it is written; before, it is one of `a not in b`.
_KEEP_NOT = (ast.Is, ast.In) if v.PY314 else ()


def negated(test: ast.expr) -> ast.expr:
    """The opposite test, written as a person would."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    asked: ast.expr | None = getattr(test, "asked", None)
    if asked is not None:
        return asked
    changed: ast.expr
    if isinstance(test, ast.Compare) and _has_opposite(test):
        changed = ast.Compare(test.left, [_OPPOSITE[type(test.ops[0])]()], test.comparators)
        if (turned := getattr(test, "turned", None)) is not None:
            changed.turned = not turned  # type: ignore[attr-defined]  # a note of ours on the node
    elif isinstance(test, ast.BoolOp) and all(map(_has_opposite, test.values)):
        other = ast.Or() if isinstance(test.op, ast.And) else ast.And()
        changed = ast.BoolOp(other, [negated(value) for value in test.values])
    elif isinstance(test, ast.IfExp) and any(map(_is_denied, (test.body, test.orelse))):
        changed = ast.IfExp(test.test, negated(test.body), negated(test.orelse))
    else:
        changed = ast.UnaryOp(ast.Not(), test)
    copy_mark(test, changed)
    changed.asked = test  # type: ignore[union-attr]  # a note of ours on the node: the opposite of the opposite
    return changed


def _has_opposite(test: ast.expr) -> bool:
    """Whether the opposite needs no `not`."""
    if isinstance(test, ast.UnaryOp):
        return _is_denied(test)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or type(test.ops[0]) not in _OPPOSITE:
        return False
    return not isinstance(test.ops[0], _KEEP_NOT) or _is_none(test.comparators[0])


def _is_denied(test: ast.expr) -> bool:
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None
