"""What stands above the definition: imports of helpers, and what names in it are that Python alone does not tell."""

from __future__ import annotations

import ast
import reprlib

from unjit.decompiler.render.names import Names

_LONGEST = 80
ENCLOSED = "# Variables of an enclosing function:"


def helper_import(names: Names) -> list[str]:
    """The import of the helpers that the source calls, if it calls any."""
    shown = [n if n == shown else f"{n} as {shown}" for n, shown in sorted(names.helpers.items())]
    return [f"from unjit.helpers import {', '.join(shown)}"] if shown else []


def comments(names: Names, free: tuple[str, ...]) -> list[str]:
    """What names in the source are that it does not define; none for most code."""
    lines = [f"{ENCLOSED} {', '.join(free)}."] if free else []
    lines += [f"# {name} is the constant {_described(value)}" for name, value in names.constants.items()]
    return lines


class _Short(reprlib.Repr):
    """What a container holds as far as a line has room for it: a constant may be a module's whole namespace.

    Sets come in the same order in each run. Raises what a repr raises.
    """

    def __init__(self) -> None:
        super().__init__()
        self.maxother = self.maxstring = self.maxlong = _LONGEST
        self.maxtuple = self.maxlist = self.maxset = self.maxfrozenset = self.maxdict = _LONGEST // 8

    def repr_instance(self, x: object, level: int) -> str:
        del level
        return repr(x)


def _described(value: object) -> str:
    try:
        text = " ".join(_Short().repr(value)[: 2 * _LONGEST].split())
    except Exception:  # a stranger's repr may raise anything; its type says enough
        text = f"of type {type(value).__name__}"
    shown = "".join(c if c.isprintable() else "?" for c in text)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 3] + "..."


def needs_enclosing(definition: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Whether the definition alone would not compile: `nonlocal` needs a function around it."""
    return ast.Nonlocal in map(type, definition.body)
