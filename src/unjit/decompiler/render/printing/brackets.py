"""Which brackets an expression needs, by how strongly its parts hold together."""

from __future__ import annotations

import ast

# Weakest first. An expression in a place that needs more than it has gets brackets.
(
    NAMED, TUPLE, YIELD, TEST, OR, AND, NOT, COMPARED, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, TERM, FACTOR, POWER,
    AWAIT, ATOM,
) = range(18)  # fmt: skip

DIVIDED = "\f"  # where a line ends if what stands around it is one line; white space within brackets


def bracketed(text: str, own: int, level: int) -> str:
    """The text of an expression that holds together as `own` says, in a place that needs `level`."""
    return f"({text})" if level > own else text


def bare_tuple(value: ast.AST, level: int) -> int:
    """What a place needs that takes a tuple of several without brackets: `return a, b`."""
    return TUPLE if isinstance(value, ast.Tuple) and len(value.elts) > 1 else level


def bare_walrus(value: ast.AST) -> int:
    """What a place needs that takes a walrus without brackets: `if a := f():`."""
    return NAMED if isinstance(value, ast.NamedExpr) else TEST
