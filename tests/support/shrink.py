"""The smallest function that still fails the same way: `shrunk(text, fails)` drops and unwraps statements and parts."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

SUITES = ("body", "orelse", "finalbody", "handlers")


def shrunk(text: str, fails: Callable[[str], bool]) -> str:
    """A smaller text for which `fails` is true; `fails` must say False of texts that do not compile."""
    text = ast.unparse(ast.parse(text))
    while smaller := next((t for t in variants(text) if len(t) < len(text) and fails(t)), None):
        text = smaller
    return text


def variants(text: str) -> Iterator[str]:
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    for index, node in enumerate(nodes):
        for field in SUITES:
            suite = getattr(node, field, None)
            for place in range(len(suite) if isinstance(suite, list) else 0):
                yield from _with(tree, index, field, place)
        if isinstance(node, ast.expr) and not isinstance(node, ast.Name):
            yield from _as_name(tree, index)


def _with(tree: ast.Module, index: int, field: str, place: int) -> Iterator[str]:
    """One statement left out, or replaced by each of its suites."""
    original = getattr(list(ast.walk(tree))[index], field)[place]
    for inside in [[], *(getattr(original, suite, None) for suite in SUITES[:3])]:
        if isinstance(inside, list) and all(isinstance(part, ast.stmt) for part in inside):
            made = copy.deepcopy(tree)
            getattr(list(ast.walk(made))[index], field)[place : place + 1] = copy.deepcopy(inside)
            yield from _text(made)


def _as_name(tree: ast.Module, index: int) -> Iterator[str]:
    made = copy.deepcopy(tree)
    target = list(ast.walk(made))[index]
    for parent in ast.walk(made):
        for field, value in ast.iter_fields(parent):
            if value is target:
                setattr(parent, field, ast.Name("a", getattr(target, "ctx", ast.Load())))
                yield from _text(made)
                return


def _text(made: ast.Module) -> Iterator[str]:
    try:
        text = ast.unparse(ast.fix_missing_locations(made))
        ast.parse(text)
    except (ValueError, SyntaxError, AttributeError, IndexError):
        return
    yield text
