"""Which constants Python can write down."""

from __future__ import annotations

import ast

from unjit.bytecode import versions as v
from unjit.decompiler.ir.tree.notes import copy_mark

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


def kept_apart(items: list[ast.expr]) -> list[ast.expr]:
    """The items of a set that was made of them: of constants the compiler would make one, in another order.

    `*()` keeps them apart.
    """
    if len(items) < v.FEWEST_FOLDED or not all(isinstance(item, ast.Constant) for item in items):
        return items
    return [ast.Starred(ast.Tuple([], ast.Load()), ast.Load()), *items]


def without_keeping_apart(items: list[ast.expr]) -> list[ast.expr]:
    """The items without that, where a `*` after them does it."""
    first = items[0] if items else None
    is_needless = isinstance(first, ast.Starred) and isinstance(first.value, ast.Tuple) and not first.value.elts
    return items[1:] if is_needless else items
