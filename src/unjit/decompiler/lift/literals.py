"""Which constants Python can write down."""

from __future__ import annotations

_SCALARS = (int, float, complex, str, bytes, bool, type(None), type(Ellipsis))


def is_literal(value: object) -> bool:
    """Does a literal, or a tuple or frozenset of literals, give exactly this value and type back?"""
    work = [value]
    while work:
        item = work.pop()
        if type(item) in (tuple, frozenset):
            work.extend(item)  # type: ignore[call-overload]
        elif type(item) not in _SCALARS:
            return False
    return True
