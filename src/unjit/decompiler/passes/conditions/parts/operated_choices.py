"""`("x" if a else "y") + "z"`, of which the compiler computed one arm itself.

*What the compiler did* (3.14 and later): it copied what follows the choice to both arms, and folded the
operations with the constant before them, in one of them. *The shape*: a choice between a constant and an operation
on constants; by itself nobody has written that, as it would have been folded. *What we produce*: the operation on a
choice between what it was done to. *What we refuse*: a constant for which we know no value that it may come from.
"""

from __future__ import annotations

import ast

from unjit.decompiler.passes.conditions.parts.undone_operations import OPERATORS, Operation, values_before


def choice_in_operation(test: ast.expr, then: ast.expr, other: ast.expr) -> ast.expr | None:
    """The operation on the choice; None where neither value is an operation on constants and the other a constant."""
    for whole, constant in ((other, then), (then, other)):
        if not isinstance(constant, ast.Constant) or not is_on_constants(whole):
            continue
        before = _before(whole, constant.value)
        if before is None:
            continue
        first = _first(whole)
        operand = _operand(first)
        both = (before, operand) if whole is other else (operand, before)
        setattr(first, _FIELD[type(first)], ast.IfExp(test, *both))
        return whole
    return None


def is_on_constants(value: ast.AST) -> bool:
    """Whether it is such an operation on a constant, or on a choice between constants, as of three one becomes."""
    if _operation(value) is None:
        return False
    operand = _operand(value)
    return _constant(operand) is not None or is_on_constants(operand)


_FIELD: dict[type[ast.AST], str] = {ast.UnaryOp: "operand", ast.BinOp: "left", ast.Subscript: "value"}


def _operand(value: ast.AST) -> ast.expr:
    """What the operation is done to."""
    operand = getattr(value, _FIELD[type(value)])
    assert isinstance(operand, ast.expr)
    return operand


def _operation(value: ast.AST) -> Operation | None:
    """What is done to the operand, if all else in it is constant; nothing is where it may change in place."""
    if type(value) not in _FIELD:
        return None
    found: Operation | None = None
    match value:
        case ast.UnaryOp(op=unary):
            found = type(unary), None
        case ast.BinOp(op=binary, right=ast.Constant(value=right)):
            found = type(binary), right
        case ast.Subscript(slice=ast.Constant(value=index)):
            found = ast.Subscript, index
    return found if found is not None and found[0] in OPERATORS else None


def _first(value: ast.expr) -> ast.expr:
    """The operation within that is done first."""
    while _constant(_operand(value)) is None:
        value = _operand(value)
    return value


def _constant(value: ast.expr) -> ast.Constant | None:
    """A constant, or the last of a choice between constants."""
    while isinstance(value, ast.IfExp) and isinstance(value.body, ast.Constant):
        value = value.orelse
    return value if isinstance(value, ast.Constant) else None


def _before(whole: ast.expr, result: object) -> ast.Constant | None:
    """What the first operation was done to, if the last gives the result; None if we know of nothing."""
    operation, operand = _operation(whole), _operand(whole)
    assert operation is not None
    like = _constant(_operand(_first(whole)))
    assert like is not None
    found = values_before(operation, result, type(like.value))
    if _constant(operand) is not None:
        return next(map(ast.Constant, found), None)
    return next((first for value in found if (first := _before(operand, value)) is not None), None)
