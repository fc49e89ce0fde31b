"""What is to be shown, whether as text or as HTML: nested sections of lines and source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, Union

from unjit.model import Unknown


@dataclass(frozen=True, slots=True)
class Source:
    """Lines of code, shown as they are."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what belongs under it."""

    title: str
    items: tuple[Item, ...]


Item: TypeAlias = Union[str, Source, Section]  # noqa: UP007  (Section refers to itself)


def count(number: int, one: str, many: str = "") -> str:
    """`1 guard`, `2 guards`, `1,234 entries`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listed(names: Sequence[str], most: int = 4) -> str:
    """`a, b`, or `a, b, c, d and 12 others`."""
    rest = len(names) - most
    more = f" and {count(rest, 'other')}" if rest > 0 else ""
    return f"{', '.join(names[:most])}{more}"


def fact(value: object) -> str:
    """A value of the model in running text; one that is not known says so and why."""
    return str(value) if isinstance(value, Unknown) or value is not None else "none"
