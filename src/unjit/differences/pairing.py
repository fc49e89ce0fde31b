"""Which function of one capture is which of the other.

Functions have the same key where they have the same name. The key of a resume function has the line at which it goes
on, which moves when somebody edits the file above; so they are told apart by how far into their function that is, where
both captures know it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable
from typing import TypeAlias

from unjit.model import Capture, CapturedCompile, Function, Listing, ResumePoint, Unknown

Pair: TypeAlias = "tuple[Function | None, Function | None]"


def pairs(first: Iterable[Function], second: Iterable[Function]) -> list[Pair]:
    """Functions that are the same, those of the first in their order, then those that only the second has."""
    sides = list(first), list(second)
    unknown = {_bare(one.resume) for side in sides for one in side if one.resume and _lines_in(one.resume) is None}
    mine, others = (_named(side, unknown) for side in sides)
    return [(mine.get(name), others.get(name)) for name in dict.fromkeys([*mine, *others])]


def compiles_of(function: Function | None, capture: Capture) -> list[CapturedCompile]:
    """The compiles of a function; none if the function is missing."""
    return [] if function is None else [one for one in capture.compiles if one.function == function.key]


def _named(functions: Iterable[Function], unknown: Container[str]) -> dict[str, Function]:
    seen: Counter[str] = Counter()
    found = {}
    for function in functions:
        name = _name(function, unknown)
        seen[name] += 1
        found[f"{name} {seen[name]}"] = function
    return found


def _name(function: Function, unknown: Container[str]) -> str:
    point = function.resume
    if point is None or _bare(point) in unknown:
        return str(function.key)
    return f"{point.of} from line {_lines_in(point)}"


def _bare(point: ResumePoint) -> str:
    """The name of the function that it continues, without classes and functions around it, which a log lacks."""
    return point.of.rpartition(".")[2]


def _lines_in(point: ResumePoint) -> int | None:
    """How far into its function it goes on; None if the source or the place is not known."""
    if not isinstance(point.source, Listing) or isinstance(point.place, Unknown):
        return None
    return point.place.line - point.source.first_line if isinstance(point.place.line, int) else None
