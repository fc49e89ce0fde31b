"""Functions and classes in the making, and decorators around them."""

from __future__ import annotations

import ast

from unjit.decompiler.ir.tree import nodes


def is_decorated(value: ast.expr) -> bool:
    """Whether this is a call of one argument that ends, through more such calls, in a function or class."""
    while isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords and not _is_made(value):
        value = value.args[0]
        if _is_made(value):
            return True
    return False


def _is_made(value: ast.expr) -> bool:
    """Whether this is a function or class in the making, with or without type parameters."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, nodes.BuildClass)
    is_generic = isinstance(value, nodes.Helper) and value.name == "WITH_TYPE_PARAMETERS"
    return is_generic or isinstance(value, nodes.MakeFunction)
