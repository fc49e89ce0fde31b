"""Which brackets an expression needs, by how strongly its parts hold together."""

from __future__ import annotations

import ast
from collections.abc import Iterable

# Weakest first. An expression in a place that needs more than it has gets brackets.
(
    NAMED, TUPLE, YIELD, TEST, OR, AND, NOT, COMPARED, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, TERM, FACTOR, POWER,
    AWAIT, ATOM,
) = range(18)  # fmt: skip

DIVIDED = "\f"  # where a line ends if what stands around it is one line; white space within brackets
Part = str | tuple[ast.AST, int]  # text, or a node in a place that needs this much


def bracketed(parts: list[Part], own: int, level: int) -> list[Part]:
    return ["(", *parts, ")"] if level > own else parts


def listed(nodes: Iterable[ast.AST], opening: str = "", closing: str = "", level: int = TEST) -> list[Part]:
    parts: list[Part] = [opening]
    for node in nodes:
        parts += ((node, level), ", ")
    if len(parts) > 1:
        parts.pop()
    parts.append(closing)
    return parts


def bare_tuple(value: ast.AST, level: int) -> int:
    """What a place needs that takes a tuple of several without brackets: `return a, b`."""
    return TUPLE if isinstance(value, ast.Tuple) and len(value.elts) > 1 else level


def bare_walrus(value: ast.AST) -> int:
    """What a place needs that takes a walrus without brackets: `if a := f():`."""
    return NAMED if isinstance(value, ast.NamedExpr) else TEST
