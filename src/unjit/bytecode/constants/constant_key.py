"""What tells constants from each other, without asking them: objects of the program may be among them.

Their classes are compared, so that a metaclass with an `__eq__` of its own is called.
"""

from __future__ import annotations

import struct


def constant_key(value: object) -> object:
    """Something hashable that is equal exactly for constants that are the same, in whatever order a set is walked."""
    kind = type(value)
    if kind in (int, str, bytes, bool, type(None), type(...)):
        return kind, value
    if kind is float:
        return kind, struct.pack("d", value)
    if kind is complex:
        return kind, struct.pack("dd", value.real, value.imag)  # type: ignore[attr-defined]
    if kind is tuple:
        return kind, tuple(map(constant_key, value))  # type: ignore[call-overload]
    if kind is frozenset:
        return kind, frozenset(map(constant_key, value))  # type: ignore[call-overload]
    if kind is slice:
        return kind, constant_key((value.start, value.stop, value.step))  # type: ignore[attr-defined]
    return "object", id(value)
