"""Which function of one capture is which of the other.

Functions have the same key where they have the same name. The key of a resume function has the line at which it goes
on, which moves when somebody edits the file above; so they are told apart by how far into their function that is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias

from unjit.model import Function, Listing, Unknown

Pair: TypeAlias = "tuple[Function | None, Function | None]"


def pairs(first: Iterable[Function], second: Iterable[Function]) -> list[Pair]:
    """Functions that are the same, those of the first in their order, then those that only the second has."""
    mine, others = _named(first), _named(second)
    return [(mine.get(name), others.get(name)) for name in dict.fromkeys([*mine, *others])]


def _named(functions: Iterable[Function]) -> dict[str, Function]:
    seen: Counter[str] = Counter()
    found = {}
    for function in functions:
        name = _name(function)
        seen[name] += 1
        found[f"{name} {seen[name]}"] = function
    return found


def _name(function: Function) -> str:
    point = function.resume
    if point is None:
        return str(function.key)
    if isinstance(point.source, Listing) and not isinstance(point.place, Unknown) and isinstance(point.place.line, int):
        return f"{point.of} from line {point.place.line - point.source.first_line}"
    return str(function.key)
