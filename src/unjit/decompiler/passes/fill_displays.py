"""Displays with `*` and `**`.

*What the compiler did*: a display with unpacking starts small and is extended item by item. *What we produce*: the
display as it was written.
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.nodes import Accumulate, Define


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
        elif isinstance(item.value, ast.Dict) and item.value.keys and (item.kind != "DICT_MERGE" or _names(item.value)):
            display.keys += item.value.keys
            display.values += item.value.values
        else:
            display.keys.append(None)
            display.values.append(item.value)
    else:
        return False
    return True


def _names(display: ast.Dict) -> bool:
    """Whether these are keyword arguments that can be written by name: merging computed ones may fail."""
    return all(key is None or (isinstance(key, ast.Constant) and isinstance(key.value, str)) for key in display.keys)


def _items(item: Accumulate, extending: str, literal: type) -> list[ast.expr]:
    if item.kind != extending:
        return [item.value]
    value = item.value
    if isinstance(value, ast.Constant) and isinstance(value.value, literal):
        members = value.value
        assert isinstance(members, tuple | frozenset)
        return [ast.Constant(member) for member in members]
    return [ast.Starred(value, ast.Load())]
