"""Which constants Python can write down."""

from __future__ import annotations

import ast

from unjit.decompiler.ir.nodes import copy_mark

FEWEST_FOLDED = 3  # constants in a display that become one
SCALARS = frozenset({int, float, complex, str, bytes, bool, type(None), type(Ellipsis)})


def is_literal(value: object) -> bool:
    """Whether a literal, or a tuple or frozenset of literals, gives back exactly this value and type."""
    work = [value]
    while work:
        item = work.pop()
        if type(item) is tuple or type(item) is frozenset:
            work.extend(item)
        elif type(item) not in SCALARS:
            return False
    return True


def has_frozenset(value: object) -> bool:
    """Whether this is a frozenset, or a tuple with one in it."""
    return type(value) is frozenset or (type(value) is tuple and any(map(has_frozenset, value)))


def from_display(value: ast.expr) -> ast.expr:
    """What is searched or iterated over: there alone the compiler makes a frozenset of a display of constants."""
    constant: object = value.value if isinstance(value, ast.Constant) else None
    if type(constant) is not frozenset:
        return value
    shown = literal(constant)
    copy_mark(value, shown)
    shown.display = True  # type: ignore[attr-defined]  # without it, it has no literal
    return shown


def has_slice(value: object) -> bool:
    """Whether this is a slice, or a tuple with one in it: constants since 3.14, of subscripts only."""
    return type(value) is slice or (type(value) is tuple and any(map(has_slice, value)))


def literal(value: object) -> ast.Constant:
    """The node for a constant; its type in `ast` names fewer types than the compiler takes."""
    return ast.Constant(value)  # type: ignore[arg-type]  # tuples and frozensets are constants too
