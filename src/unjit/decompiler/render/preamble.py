"""What stands above the definition: imports of helpers, and what names in it are that Python alone does not tell."""

from __future__ import annotations

import ast

from unjit.decompiler.render.names import Names

_LONGEST = 80


def preamble(names: Names, free: tuple[str, ...]) -> list[str]:
    """Lines to print above a definition, each valid Python by itself; none for most code."""
    lines = []
    if names.helpers:
        imported = [n if n == shown else f"{n} as {shown}" for n, shown in sorted(names.helpers.items())]
        lines.append(f"from unjit.helpers import {', '.join(imported)}")
    if free:
        lines.append(f"# Variables of an enclosing function: {', '.join(free)}.")
    lines += [f"# {name} is the constant {_described(value)}" for name, value in names.constants.items()]
    return lines


def _described(value: object) -> str:
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a stranger's repr may raise anything; its type says enough
        text = f"of type {type(value).__name__}"
    shown = "".join(c if c.isprintable() else "?" for c in text)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 3] + "..."


def needs_enclosing(definition: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether the definition alone would not compile: `nonlocal` needs a function around it."""
    return any(isinstance(statement, ast.Nonlocal) for statement in definition.body)
