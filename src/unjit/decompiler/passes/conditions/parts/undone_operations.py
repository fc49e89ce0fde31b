"""Of which value an operation on constants gives a result: arithmetic backwards, tried forwards.

Many values may give one result, as of `5 // 2`; the first that does is told.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from typing import Any

from unjit.bytecode.constants.constant_key import constant_key

Operation = tuple[type[ast.AST], Any]  # the kind of operator, and the operand on its right; Subscript, and the index

_UNARY: dict[type[ast.AST], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
    ast.UAdd: operator.pos,
}
_BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.Subscript: operator.getitem,
}
_BACKWARDS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.sub,
    ast.Sub: operator.add,
    ast.Div: operator.mul,
    ast.FloorDiv: operator.mul,
    ast.Pow: lambda result, right: round(result ** (1 / right)),
    ast.LShift: operator.rshift,
    ast.RShift: operator.lshift,
    ast.BitXor: operator.xor,
}
OPERATORS = frozenset({*_UNARY, *_BINARY})
_SEQUENCES = (str, bytes, tuple)
_NUMBERS = (int, float, complex, bool)
_CANNOT = (TypeError, ValueError, ArithmeticError, LookupError)
_LARGEST = 4096  # bits of a number or items of a sequence, which is more than the compiler computes itself


def values_before(operation: Operation, result: object, kind: type) -> Iterator[Any]:
    """The values that we think of of which it gives the result: those of a kind first."""
    for value in _candidates(operation, result, kind):
        if constant_key(_done(operation, value)) == constant_key(result):
            yield value


def _candidates(operation: Operation, result: Any, kind: type) -> Iterator[Any]:
    found = [*_backwards(operation, result, kind), result]
    if kind in _NUMBERS:
        yield from filter(lambda value: type(value) is kind, (_converted(value, kind) for value in found))
    yield from found


def _converted(value: Any, kind: type) -> Any:
    try:
        return kind(value)
    except _CANNOT:
        return None


def _done(operation: Operation, value: Any) -> object:
    """What the operation makes of a value; something that is no constant where it cannot be done, or is too much."""
    op, right = operation
    try:
        if op in _UNARY:
            return _UNARY[op](value)
        return object() if _is_large(op, value, right) else _BINARY[op](value, right)
    except _CANNOT:
        return object()


def _is_large(op: type[ast.AST], value: Any, right: Any) -> bool:
    """Whether to compute it may take time and memory that nothing says a constant may cost."""
    if not isinstance(right, int):
        return False
    if op is ast.Pow and isinstance(value, int):
        return value.bit_length() * right > _LARGEST
    if op is ast.Mult and isinstance(value, _SEQUENCES):
        return len(value) * right > _LARGEST
    return op is ast.LShift and right > _LARGEST


def _backwards(operation: Operation, result: Any, kind: type) -> list[Any]:
    """At most one value; which it is may be wrong."""
    op, right = operation
    try:
        if op in _UNARY:
            return [_UNARY[op](result)]
        if op is ast.Subscript:
            return [_with_item(result, right, kind)]
        if op is ast.Mult:
            return [_part(result, right)]
        if op is ast.Add and isinstance(result, _SEQUENCES):
            return [result[: len(result) - len(right)]]
        return [] if _is_large(ast.LShift, 1, right) else [_BACKWARDS[op](result, right)]
    except (*_CANNOT, KeyError):
        return []


def _with_item(item: Any, index: int, kind: type) -> Any:
    """A sequence of a kind with an item at an index."""
    length = index + 1 if index >= 0 else -index
    if length > _LARGEST:
        raise ValueError("nobody writes a constant as long")
    return length * (item if kind is str else kind((item,)))


def _part(product: Any, times: Any) -> Any:
    """What is multiplied."""
    if isinstance(product, _SEQUENCES):
        return product[: len(product) // times]
    return product // times if isinstance(product, int) else product / times
