"""Walking the suites of structured statements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from unjit.decompiler.ir.tree.nodes import DEFINITIONS, TRIES

Suite = list[ast.stmt]
LOOPS = (ast.For, ast.AsyncFor, ast.While)


def rewrite_suites(body: Suite, rewrite: Callable[[Suite], Suite]) -> Suite:
    """`rewrite` applied to every suite, inner ones first."""
    for owner, field in _suites_inside_out(body):
        setattr(owner, field, rewrite(getattr(owner, field)))
    return rewrite(body)


def statements_in(body: Suite) -> Iterator[ast.stmt]:
    """The statements of a suite and of those in it, but for the suites of definitions, in no order."""
    yield from body
    for owner, field in _suites_inside_out(body):
        yield from getattr(owner, field)


def _suites_inside_out(body: Suite) -> list[tuple[ast.AST, str]]:
    """Every suite in `body`, innermost first."""
    found: list[tuple[ast.AST, str]] = []
    work: list[ast.AST] = list(body)
    while work:
        node = work.pop()
        for field in _SUITES_OF[type(node)]:
            suite = getattr(node, field)
            if suite:
                found.append((node, field))
                work += suite
        if isinstance(node, TRIES):
            work += node.handlers
        elif isinstance(node, ast.Match):
            work += node.cases
    found.reverse()
    return found


def chained(body: Suite) -> set[int]:
    """The ids of all statements that are all of the `else` of an `if`: an `if` among them reads as an `elif`."""
    return {id(s.orelse[0]) for s in statements_in(body) if isinstance(s, ast.If) and len(s.orelse) == 1}


def is_broken_out_of(loop: ast.stmt) -> bool:
    """Whether a `break` in the suite of a loop leaves it."""
    work: list[ast.AST] = list(getattr(loop, "body", ()))
    while work:
        node = work.pop()
        if isinstance(node, ast.Break):
            return True
        fields = ["orelse"] if isinstance(node, LOOPS) else _SUITES_OF[type(node)]
        work += (statement for field in fields for statement in getattr(node, field))
        work += getattr(node, "handlers", ()) or getattr(node, "cases", ())
    return False


def suite_fields(node: ast.AST) -> Iterator[str]:
    """The fields of a statement or handler that hold statements; none for a function or class definition."""
    for field in _SUITES_OF[type(node)]:
        if getattr(node, field):
            yield field


class _SuitesOf(dict[type, tuple[str, ...]]):
    """For each class of nodes the fields that are suites."""

    def __missing__(self, kind: type) -> tuple[str, ...]:
        has_any = issubclass(kind, ast.stmt | ast.ExceptHandler | ast.match_case) and kind not in DEFINITIONS
        fields = getattr(kind, "_fields", ()) if has_any else ()
        found = self[kind] = tuple(field for field in ("body", "orelse", "finalbody") if field in fields)
        return found


_SUITES_OF = _SuitesOf()
