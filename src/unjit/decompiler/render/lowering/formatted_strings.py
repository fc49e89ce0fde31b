"""Formatted strings as literals have them: parts side by side, a value converted and formatted at once."""

from __future__ import annotations

import ast
from collections.abc import Callable

from unjit.decompiler.errors import CannotExpress

Shown = Callable[[ast.expr], ast.expr]  # lowers a value


def is_literal(node: ast.JoinedStr) -> bool:
    """Whether formats made all its parts, so that one literal can have them: no text lay on the stack already."""
    return all(isinstance(value, ast.JoinedStr | ast.Constant | ast.FormattedValue) for value in node.values)


def joined_string(node: ast.JoinedStr, shown: Shown) -> ast.JoinedStr:
    """The literal with its values lowered, and the parts of those that were joined before among its own."""
    values: list[ast.expr] = []
    for value in node.values:
        if isinstance(value, ast.JoinedStr):
            values += value.values
        elif isinstance(value, ast.Constant | ast.FormattedValue):
            values.append(value)
        else:
            raise CannotExpress("a string is joined from values that no format made")
    return ast.JoinedStr([value if isinstance(value, ast.Constant) else shown(value) for value in values])


def formatted_value(node: ast.FormattedValue, shown: Shown) -> ast.FormattedValue:
    """The value in braces, lowered; one that was converted by itself before it was formatted is one of both."""
    inner = node.value
    if isinstance(inner, ast.FormattedValue):
        node = ast.FormattedValue(inner.value, inner.conversion, node.format_spec)
    spec = format_spec(node.format_spec, shown)
    return ast.FormattedValue(shown(node.value), node.conversion, spec)


def format_spec(spec: ast.expr | None, shown: Shown) -> ast.JoinedStr | None:
    """What follows the colon, as `ast` wants it: a formatted string."""
    if spec is None:
        return None
    if isinstance(spec, ast.Constant):
        return ast.JoinedStr([spec])
    parts = spec if isinstance(spec, ast.JoinedStr) else ast.JoinedStr([ast.FormattedValue(spec, -1)])
    return joined_string(parts, shown)
