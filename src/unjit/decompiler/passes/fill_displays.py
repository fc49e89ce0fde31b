"""Displays with `*` and `**`, and calls that take them.

*What the compiler did*: a display with unpacking starts small and is extended item by item; a call with unpacking
takes one tuple and one dict. *What we produce*: the display or the argument list as it was written.
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.nodes import Accumulate, Define, Helper


def fill(define: Define, item: Accumulate) -> bool:
    """Add `item` to the display that `define` makes; False where it is none."""
    display = define.value
    if isinstance(display, ast.List) and item.kind in ("LIST_APPEND", "LIST_EXTEND"):
        display.elts += _items(item, "LIST_EXTEND", tuple)
    elif isinstance(display, ast.Set) and item.kind in ("SET_ADD", "SET_UPDATE"):
        display.elts += _items(item, "SET_UPDATE", frozenset)
    elif isinstance(display, ast.Dict) and item.kind in ("MAP_ADD", "DICT_UPDATE", "DICT_MERGE"):
        if item.kind == "MAP_ADD":
            display.keys.append(item.key)
            display.values.append(item.value)
        elif isinstance(item.value, ast.Dict) and item.value.keys:
            display.keys += item.value.keys
            display.values += item.value.values
        else:
            display.keys.append(None)
            display.values.append(item.value)
    else:
        return False
    return True


def _items(item: Accumulate, extending: str, literal: type) -> list[ast.expr]:
    if item.kind != extending:
        return [item.value]
    value = item.value
    if isinstance(value, ast.Constant) and isinstance(value.value, literal):
        members = value.value
        assert isinstance(members, tuple | frozenset)
        return [ast.Constant(member) for member in members]
    return [ast.Starred(value, ast.Load())]


def spread_call(value: ast.expr) -> ast.expr:
    """A call's tuple and dict of arguments as arguments; a tuple made from a list display as a tuple display."""
    if isinstance(value, Helper) and value.name == "LIST_TO_TUPLE" and isinstance(value.args[0], ast.List):
        made = ast.Tuple(value.args[0].elts, ast.Load())
        made.at = getattr(value, "at", None)  # type: ignore[attr-defined]
        return made
    if isinstance(value, ast.Call) and len(value.args) == 1 and isinstance(value.args[0], ast.Starred):
        value.args = _spread_arguments(value.args[0])
        value.keywords = [k for keyword in value.keywords for k in _spread_keywords(keyword)]
    return value


def _spread_arguments(starred: ast.Starred) -> list[ast.expr]:
    inner = starred.value
    if isinstance(inner, ast.Tuple):
        return inner.elts
    if isinstance(inner, ast.Constant) and isinstance(inner.value, tuple):
        return [ast.Constant(item) for item in inner.value]
    return [starred]


def _spread_keywords(keyword: ast.keyword) -> list[ast.keyword]:
    inner = keyword.value
    if keyword.arg is not None or not isinstance(inner, ast.Dict):
        return [keyword]
    if not all(key is None or _is_name(key) for key in inner.keys):
        return [keyword]
    return [
        ast.keyword(key.value if isinstance(key, ast.Constant) else None, value)
        for key, value in zip(inner.keys, inner.values, strict=True)
    ]


def _is_name(key: ast.expr) -> bool:
    return isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.isidentifier()
