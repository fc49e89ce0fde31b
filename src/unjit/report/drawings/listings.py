"""A function's lines out of its file."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from unjit.model import Listing, UserSource


def listing_at(whole: Listing, line: int) -> Listing | None:
    """The innermost function that begins at a line, with its decorators; None if the file has none there."""
    found = _functions(str(whole.text)).get(line)
    if found is None:
        return None
    first, last = found
    return Listing(whole.file, first, UserSource("\n".join(whole.lines[first - 1 : last])))


@functools.lru_cache(maxsize=8)  # all functions of a file are asked for one after the other
def _functions(text: str) -> dict[int, tuple[int, int | None]]:
    """First and last line of each function, by the line of its first decorator and by that of its `def`."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found = {}
    for node in _definitions(tree.body):
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        found[node.lineno] = found[first] = (first, node.end_lineno)
    return found


def _definitions(statements: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Those in the statements and within each other, outer ones first. No expression holds one."""
    for statement in statements:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield statement
        for name in ("body", "orelse", "finalbody"):
            yield from _definitions(getattr(statement, name, []))
        for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            yield from _definitions(part.body)
