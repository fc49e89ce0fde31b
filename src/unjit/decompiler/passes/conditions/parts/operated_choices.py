"""`-(1 if a else 2)`, of which the compiler computed one arm itself.

*What the compiler did* (3.14 and later): it copied what stands behind the choice to both arms, and folded the operation
with the constant in front of it, in one of them. *The shape*: a choice between a constant and an operation on a
constant; by itself nobody has written that, as it would have been folded. *What we produce*: the operation on a choice
between what it was done to.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

_UNDONE: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
    ast.UAdd: operator.pos,
}
_NUMBERS = {ast.USub: (int, float, complex), ast.Invert: (int,), ast.UAdd: (int, float, complex)}


def choice_in_operation(test: ast.expr, then: ast.expr, other: ast.expr) -> ast.expr | None:
    """The operation on the choice; None where neither value is an operation on constants and the other a constant."""
    for operation, constant in ((other, then), (then, other)):
        if not isinstance(constant, ast.Constant) or not is_on_constants(operation):
            continue
        assert isinstance(operation, ast.UnaryOp)
        if type(constant.value) not in _NUMBERS[type(operation.op)]:
            continue
        undone, operand = ast.Constant(_UNDONE[type(operation.op)](constant.value)), operation.operand
        both = (undone, operand) if operation is other else (operand, undone)
        operation.operand = ast.IfExp(test, *both)
        return operation
    return None


def is_on_constants(value: ast.expr) -> bool:
    """Whether it is such an operation on a constant, or on a choice between constants, as of three one becomes."""
    return isinstance(value, ast.UnaryOp) and type(value.op) in _UNDONE and _is_constant(value.operand)


def _is_constant(value: ast.expr) -> bool:
    while isinstance(value, ast.IfExp) and isinstance(value.body, ast.Constant):
        value = value.orelse
    return isinstance(value, ast.Constant)
