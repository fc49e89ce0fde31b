"""A function's lines out of its file."""

from __future__ import annotations

import ast

from unjit.model import Listing, UserSource


def listing_at(whole: Listing, line: int) -> Listing | None:
    """The innermost function that begins at a line, with its decorators; None if the file has none there."""
    try:
        tree = ast.parse(whole.text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    found = None
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and line in (node.lineno, _first_line(node)):
            found = node
    if found is None:
        return None
    first = _first_line(found)
    lines = whole.lines[first - 1 : found.end_lineno]
    return Listing(whole.file, first, UserSource("\n".join(lines)))


def _first_line(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
