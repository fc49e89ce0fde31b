"""Docstrings of classes and modules, which their code keeps as an assignment to `__doc__`."""

from __future__ import annotations

import ast

from unjit.bytecode import versions as v
from unjit.decompiler.ir.tree.suites import Suite


def docstring_first(body: Suite) -> Suite:
    """`__doc__ = "…"` as the first statement is the docstring, if one could have that text."""
    first = body[0] if body else None
    if (
        isinstance(first, ast.Assign)
        and len(first.targets) == 1
        and isinstance(first.targets[0], ast.Name)
        and first.targets[0].id == "__doc__"
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
        and as_kept(first.value.value) == first.value.value
    ):
        return [ast.Expr(first.value), *body[1:]]
    return body


def as_kept(text: str) -> str:
    """What the compiler keeps of a docstring: from 3.13 on it takes the indentation off."""
    if not v.PY313:
        return text
    module = ast.fix_missing_locations(ast.Module([ast.Expr(ast.Constant(text))], []))
    kept = compile(module, "", "exec").co_consts[0]
    assert isinstance(kept, str), "the docstring is a module's first constant"
    return kept
