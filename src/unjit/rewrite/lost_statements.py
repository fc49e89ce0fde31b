"""What an edited text says around its function: nothing of it would happen, as Dynamo runs the code alone."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from unjit.decompiler.render.names import ENCLOSING

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def what_is_lost(edited: str, original: str) -> str | None:
    """The first thing around the function that would not happen, and what to do; None if there is none.

    What the original text has there as well, such as the import of helpers, only explains its names.
    """
    body, before = ast.parse(edited).body, ast.parse(original).body
    known = {ast.dump(statement) for statement in before[:-1]}
    outside = [one for one in body[:-1] if ast.dump(one) not in known and not _is_text(one)]
    if outside:
        return f"`{_shown(outside[0])}` stands outside of the function and would not run: write it inside"
    function = _function(body)
    if isinstance(function, _FUNCTIONS) and function.decorator_list:
        return f"`@{_shown(function.decorator_list[0])}` would not run: do inside of the function what it does"
    values = [] if function is None else _defaults(function.args)
    if values:
        return f"the default value `{_shown(values[0])}` would not be taken: the frame has all arguments; leave it out"
    return None


def _function(body: Sequence[ast.stmt]) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
    last = body[-1] if body else None
    if isinstance(last, _FUNCTIONS) and last.name == ENCLOSING:
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
