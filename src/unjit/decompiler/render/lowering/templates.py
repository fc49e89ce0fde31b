"""Template strings (3.14) as the nodes of `ast` that stand for them, which older versions of `ast` do not have."""

from __future__ import annotations

import ast

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree.nodes import Interpolated, Template
from unjit.decompiler.render.lowering.arguments import items_of
from unjit.decompiler.render.lowering.formatted_strings import Shown, format_spec


def template_string(node: Template, shown: Shown) -> ast.expr:
    """The literal; `shown` lowers a value."""
    strings, fields = items_of(node.strings), items_of(node.interpolations)
    if len(strings) != len(fields) + 1:
        raise CannotExpress("a template's strings do not go between its values")
    values = [string for string in strings[:1] if _says_something(string)]
    for field, string in zip(fields, strings[1:], strict=True):
        if not isinstance(field, Interpolated):
            raise CannotExpress("a template is made of values that no literal made")
        spec = format_spec(field.spec, shown)
        made = ast.Interpolation(shown(field.value), field.text, field.conversion, spec)  # type: ignore[attr-defined]
        values += [made, string] if _says_something(string) else [made]
    return ast.TemplateStr(values)  # type: ignore[attr-defined,no-any-return]  # 3.14


def _says_something(string: ast.expr) -> bool:
    return not (isinstance(string, ast.Constant) and string.value == "")
