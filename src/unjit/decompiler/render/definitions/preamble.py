"""What stands above the definition: imports of helpers, and what names in it are that Python alone does not tell."""

from __future__ import annotations

import ast
from types import CodeType

from unjit.bytecode import with_nested
from unjit.bytecode.constants.shown import shown
from unjit.decompiler.render.lowering.names import Names

_LONGEST = 80
ENCLOSED = "# Variables of an enclosing function:"


def helper_import(names: Names) -> list[str]:
    """The import of the helpers that the source calls, if it calls any."""
    shown = [n if n == shown else f"{n} as {shown}" for n, shown in sorted(names.helpers.items())]
    return [f"from unjit.helpers import {', '.join(shown)}"] if shown else []


def comments(names: Names, free: tuple[str, ...], code: CodeType) -> list[str]:
    """What names in the source of `code` are that it does not define; none for most code."""
    lines = [f"{ENCLOSED} {', '.join(free)}."] if free else []
    lines += [f"# {name} is the constant {_described(value)}" for name, value in names.constants.items()]
    if names.renamed:
        told = {name for one in with_nested(code) for name in one.co_names}  # what a variable is called does not matter
        lines += [f"# {said} stands for the name {name!r}" for name, said in names.renamed.items() if name in told]
    return lines


def _described(value: object) -> str:
    try:
        text = " ".join(shown(value, _LONGEST)[: 2 * _LONGEST].split())
    except Exception:  # as of an int with more digits than Python prints: its type says enough
        text = f"of type {type(value).__name__}"
    plain = "".join(c if c.isprintable() else "?" for c in text)
    return plain if len(plain) <= _LONGEST else plain[: _LONGEST - 3] + "..."


def needs_enclosing(definition: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Whether the definition alone would not compile: `nonlocal` needs a function around it."""
    return ast.Nonlocal in map(type, definition.body)
