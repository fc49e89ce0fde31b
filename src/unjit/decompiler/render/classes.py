"""Class bodies: their own code, without the bookkeeping that the compiler puts around it."""

from __future__ import annotations

import ast

from unjit.decompiler.ir.nodes import CellRef

# Names that a class body sets for the machinery, first or last; source says none of them.
_BOOKKEEPING = ("__module__", "__qualname__", "__classcell__", "__static_attributes__", "__firstlineno__")


def class_body(statements: list[ast.stmt]) -> list[ast.stmt]:
    """The suite of the class statement."""
    body = [s for s in statements if not _is_bookkeeping(s)]
    if body and isinstance(body[-1], ast.Return) and isinstance(body[-1].value, ast.Constant | CellRef):
        body.pop()
    return body


def _is_bookkeeping(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target, value = statement.targets[0], statement.value
    if not isinstance(target, ast.Name) or target.id not in _BOOKKEEPING:
        return False
    if target.id == "__module__":
        return isinstance(value, ast.Name) and value.id == "__name__"
    return isinstance(value, ast.Constant | CellRef | ast.Tuple)


def docstring_first(body: list[ast.stmt]) -> list[ast.stmt]:
    """`__doc__ = "…"` as the first statement is the docstring."""
    first = body[0] if body else None
    if (
        isinstance(first, ast.Assign)
        and isinstance(first.targets[0], ast.Name)
        and first.targets[0].id == "__doc__"
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        return [ast.Expr(first.value), *body[1:]]
    return body
