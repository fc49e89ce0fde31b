"""Which constants Python can write down."""

from __future__ import annotations

import ast

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


def has_slice(value: object) -> bool:
    """Whether this is a slice, or a tuple with one in it: constants since 3.14, of subscripts only."""
    return type(value) is slice or (type(value) is tuple and any(map(has_slice, value)))


def literal(value: object) -> ast.Constant:
    """The node for a constant; its type in `ast` names fewer types than the compiler takes."""
    return ast.Constant(value)  # type: ignore[arg-type]  # tuples and frozensets are constants too
