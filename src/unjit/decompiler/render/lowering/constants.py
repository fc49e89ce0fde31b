"""Constants as expressions that give back exactly the value and its type."""

from __future__ import annotations

import ast
import math
import struct
from collections.abc import Iterable

from unjit.decompiler.ir.tree.literals import has_frozenset, literal
from unjit.decompiler.render.lowering.names import Names

WRITTEN_AS_THEY_ARE = frozenset({str, bytes, bool, type(None), type(...)})


def constant_of(node: ast.Constant, names: Names) -> ast.expr:
    """A literal, or the name of a constant that has none."""
    if not has_frozenset(node.value) or getattr(node, "display", False):
        expression = _constant_expression(node.value)
        if expression is not None:
            return expression
    return ast.Name(names.of_constant(node.value), ast.Load())


def _constant_expression(value: object) -> ast.expr | None:
    """An expression that the compiler folds back into `value`; None where there is none."""
    if type(value) is int and value < 0:  # a literal has no sign: (-1).real, (-1) ** 2
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    if type(value) is float:
        return _float(value)
    if type(value) is complex:
        return _complex(value)
    if type(value) is tuple:
        items = _all(value)
        return None if items is None else ast.Tuple(items, ast.Load())
    if type(value) is frozenset:  # the compiler makes these of set displays after `in`
        items = _all(sorted(value, key=repr))
        return None if items is None else ast.Set(items)
    return literal(value)


def _all(values: Iterable[object]) -> list[ast.expr] | None:
    found = [_constant_expression(value) for value in values]
    return None if None in found else [each for each in found if each is not None]


def _float(value: float) -> ast.expr | None:
    if math.isnan(value):
        return _nan(value)
    if math.copysign(1.0, value) < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def _nan(value: float) -> ast.expr | None:
    """What comes of `inf - inf` here, or its opposite: of all others the bits have no expression."""
    infinity = ast.Constant(math.inf)
    difference = ast.BinOp(infinity, ast.Sub(), infinity)
    if _is_same(math.inf - math.inf, value):
        return difference
    return ast.UnaryOp(ast.USub(), difference) if _is_same(-(math.inf - math.inf), value) else None


def _complex(value: complex) -> ast.expr | None:
    """`2j`, `-2j`, `1 + 2j` or `-(1 + 2j)`: the first that has the same parts, zeros with their signs."""
    if math.isnan(value.imag):
        return None
    for number, sign in ((value, None), (-value, ast.USub())):
        expression = _imaginary(number) or _sum(number)
        if expression is not None:
            return expression if sign is None else ast.UnaryOp(sign, expression)
    return None


def _imaginary(value: complex) -> ast.expr | None:
    return ast.Constant(value) if _is_same(value, complex(0, abs(value.imag))) else None


def _sum(value: complex) -> ast.expr | None:
    """The sum or difference of a real number, whole if it can be, and an imaginary one."""
    imaginary = complex(0, abs(value.imag))
    real = int(value.real) if value.real.is_integer() and abs(value.real) < _WHOLE else value.real
    is_sum = math.copysign(1.0, value.imag) > 0
    left = _constant_expression(real)
    if left is None or not _is_same(real + imaginary if is_sum else real - imaginary, value):
        return None
    return ast.BinOp(left, ast.Add() if is_sum else ast.Sub(), ast.Constant(imaginary))


_WHOLE = 2.0**53  # from there on, neighbours of floats are further apart than those of ints


def _is_same(one: complex, other: complex) -> bool:
    """Whether two numbers have the same bits, those of a nan among them."""
    parts = [struct.pack("dd", number.real, number.imag) for number in (one, other)]
    return parts[0] == parts[1]
