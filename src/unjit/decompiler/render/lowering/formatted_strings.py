"""Formatted strings as literals have them: parts side by side, a value converted and formatted at once."""

from __future__ import annotations

import ast
from collections.abc import Callable

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree import helpers

Shown = Callable[[ast.expr], ast.expr]  # lowers a value


def is_literal(node: ast.JoinedStr) -> bool:
    """Whether formats made all its parts, so that one literal can have them: no text lay on the stack already."""
    return all(map(_is_part, node.values))


def _is_part(value: ast.expr) -> bool:
    if isinstance(value, ast.FormattedValue):
        return value.format_spec is None or _is_part(value.format_spec)
    return isinstance(value, ast.Constant) or (isinstance(value, ast.JoinedStr) and is_literal(value))


def as_helper(node: ast.JoinedStr) -> tuple[str, list[ast.expr]]:
    """The helper that stands for a text that is no literal, and what it is given: its parts, or one and its format."""
    only = node.values[0] if len(node.values) == 1 else None
    if not isinstance(only, ast.FormattedValue) or only.format_spec is None:
        return helpers.BUILD_STRING, node.values
    if only.conversion not in helpers.FORMATS or isinstance(only.value, ast.FormattedValue):
        raise CannotExpress("a value that was converted is formatted by a text that no format made")
    return helpers.FORMATS[only.conversion], [only.value, only.format_spec]


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
    return joined_string(spec if isinstance(spec, ast.JoinedStr) else ast.JoinedStr([spec]), shown)
