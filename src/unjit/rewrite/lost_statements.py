"""What an edited text says around its function: nothing of it would happen, as Dynamo runs the code alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from unjit.decompiler.render.lowering.names import ENCLOSING

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def what_is_lost(edited: str, original: str) -> str | None:
    """The first thing around the function that would not happen, and what to do; None if there is none.

    What the original text has there as well, such as the import of helpers, only explains its names.
    """
    body = ast.parse(edited).body
    known = set(map(ast.dump, _around(ast.parse(original).body)))
    outside = [one for one in _around(body) if ast.dump(one) not in known and not _is_text(one)]
    if outside:
        return f"`{_shown(outside[0])}` stands outside of the function and would not run: write it inside"
    function = _function(body)
    if isinstance(function, _FUNCTIONS) and function.decorator_list:
        return f"`@{_shown(function.decorator_list[0])}` would not run: do inside of the function what it does"
    values = [] if function is None else _defaults(function.args)
    if values:
        return f"the default value `{_shown(values[0])}` would not be taken: the frame has all arguments; leave it out"
    return None


def _around(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """What stands before the function, and beside it in the one that only declares its free variables."""
    yield from body[:-1]
    if body and _is_enclosing(body[-1]):
        yield from (one for one in body[-1].body if not isinstance(one, _FUNCTIONS))


def _is_enclosing(statement: ast.stmt) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    return isinstance(statement, _FUNCTIONS) and statement.name == ENCLOSING


def _function(body: Sequence[ast.stmt]) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
    last = body[-1] if body else None
    if last is not None and _is_enclosing(last):
        return _function([one for one in last.body if isinstance(one, _FUNCTIONS)])
    value = getattr(last, "value", None)  # of an assignment, or an expression alone
    return last if isinstance(last, _FUNCTIONS) else value if isinstance(value, ast.Lambda) else None


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    return [*arguments.defaults, *(value for value in arguments.kw_defaults if value is not None)]


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def _shown(node: ast.AST) -> str:
    return ast.unparse(node).partition("\n")[0]
