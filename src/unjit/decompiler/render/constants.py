"""Constants as expressions that give back exactly the value and its type."""

from __future__ import annotations

import ast
import math

from unjit.decompiler.lift.literals import has_frozenset, literal
from unjit.decompiler.render.names import Names

WRITTEN_AS_THEY_ARE = frozenset({str, bytes, bool, type(None), type(...)})


def constant_of(node: ast.Constant, names: Names) -> ast.expr:
    """A literal, or the name of a constant that has none."""
    if has_frozenset(node.value) and not getattr(node, "display", False):
        return ast.Name(names.of_constant(node.value), ast.Load())
    return constant_expression(node.value)


def constant_expression(value: object) -> ast.expr:
    """An expression that the compiler folds back into `value`."""
    if type(value) is int and value < 0:  # a literal has no sign: (-1).real, (-1) ** 2
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    if type(value) is float:
        return _float(value)
    if type(value) is complex:
        return _complex(value)
    if type(value) is tuple:
        return ast.Tuple([constant_expression(item) for item in value], ast.Load())
    if type(value) is frozenset:  # the compiler makes these of set displays behind `in`
        return ast.Set([constant_expression(item) for item in sorted(value, key=repr)])
    return literal(value)


def _float(value: float) -> ast.expr:
    if math.isnan(value):
        infinity = ast.Constant(math.inf)
        return ast.BinOp(infinity, ast.Sub(), infinity)
    if math.copysign(1.0, value) < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def _complex(value: complex) -> ast.expr:
    if value.real == 0 and math.copysign(1.0, value.real) > 0 and math.copysign(1.0, value.imag) > 0:
        return ast.Constant(value)
    positive = math.copysign(1.0, value.imag) > 0
    imaginary = complex(0, abs(value.imag))
    folded = value.real + imaginary if positive else value.real - imaginary
    if repr(folded) != repr(value):  # a zero's sign is lost in the sum: the sum of the opposites has it
        return ast.UnaryOp(ast.USub(), _complex(-value))
    return ast.BinOp(_float(value.real), ast.Add() if positive else ast.Sub(), ast.Constant(imaginary))
