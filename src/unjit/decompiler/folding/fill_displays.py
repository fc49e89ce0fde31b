"""Displays with `*` and `**`.

*What the compiler did*: a display with unpacking starts small and is extended item by item. *What we produce*: the
display as it was written.
"""

from __future__ import annotations

import ast

from unjit.bytecode import versions as v
from unjit.decompiler.ir.tree.constants import is_identifier
from unjit.decompiler.ir.tree.literals import without_keeping_apart
from unjit.decompiler.ir.tree.nodes import Accumulate, Define


def fill(define: Define, item: Accumulate) -> bool:
    """Add `item` to the display that `define` makes; False where it is none."""
    display = define.value
    if isinstance(display, ast.List) and item.kind == "LIST_EXTEND":
        display.elts += [ast.Starred(item.value, ast.Load())] if display.elts else _folded(item.value, tuple)
    elif isinstance(display, ast.Set) and item.kind == "SET_UPDATE":
        more = _folded(item.value, frozenset)
        if any(isinstance(part, ast.Starred) for part in more):
            display.elts = without_keeping_apart(display.elts)
        display.elts += more
    elif isinstance(display, (ast.List, ast.Set)) and item.kind in ("LIST_APPEND", "SET_ADD"):
        display.elts.append(item.value)
    elif isinstance(display, ast.Dict) and item.kind in ("MAP_ADD", "DICT_UPDATE", "DICT_MERGE"):
        if item.kind == "MAP_ADD":
            display.keys.append(item.key)
            display.values.append(item.value)
        elif isinstance(item.value, ast.Dict) and _goes_on(display, item.value, item.kind):
            display.keys += item.value.keys
            display.values += item.value.values
        else:
            display.keys.append(None)
            display.values.append(item.value)
    else:
        return False
    return True


def _goes_on(display: ast.Dict, more: ast.Dict, kind: str) -> bool:
    """Whether the pairs of `more` are further ones of the display: after a `**`, or in a display that is long.

    Otherwise a person wrote `**{…}`.
    """
    if not more.keys or not display.keys:
        return False
    if display.keys[-1] is not None:
        return kind == "DICT_UPDATE" and _pairs_at_the_end(display) % _PAIRS_AT_ONCE == 0
    return kind == "DICT_UPDATE" or all(map(is_identifier, more.keys))


_PAIRS_AT_ONCE = 17  # the compiler makes a dict of so many, and puts the next ones into it


def _pairs_at_the_end(display: ast.Dict) -> int:
    return next((k for k, key in enumerate(reversed(display.keys)) if key is None), len(display.keys))


def _folded(value: ast.expr, into: type) -> list[ast.expr]:
    """The constants that the compiler folded into this one; else what follows a `*`."""
    members = value.value if isinstance(value, ast.Constant) else None
    if not isinstance(members, tuple | frozenset) or not isinstance(members, into):
        return [ast.Starred(value, ast.Load())]
    written = members if isinstance(members, tuple) or _has_steady_hash(members) else sorted(members, key=repr)
    constants: list[ast.expr] = [ast.Constant(member) for member in written]
    if len(constants) >= v.FEWEST_FOLDED:
        return constants
    if into is tuple:
        return [ast.Starred(value, ast.Load())]
    return constants + constants[-1:] * (v.FEWEST_FOLDED - len(constants))  # `{1, 1.0, True}` has one member


def _has_steady_hash(value: object) -> bool:
    """Whether each process has the same order of what is in this set: numbers, which may collide, stay as they are."""
    if isinstance(value, tuple | frozenset):
        return all(map(_has_steady_hash, value))
    return isinstance(value, int | float | complex)
