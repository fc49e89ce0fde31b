"""What ranks have, put together: those that have the same stand together, the most ranks first."""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Final, TypeVar

from unjit.model import Generated, Side

T = TypeVar("T", bound=Hashable)
_MOST_LINES: Final = 5


def groups(values: Mapping[int, T]) -> list[tuple[T, tuple[int, ...]]]:
    """Each value with the ranks that have it."""
    found: dict[T, list[int]] = {}
    for rank, value in sorted(values.items()):
        found.setdefault(value, []).append(rank)
    return sorted(((value, tuple(ranks)) for value, ranks in found.items()), key=lambda one: (-len(one[1]), one[1]))


def sides_of_lists(values: Mapping[int, tuple[str, ...] | None]) -> tuple[Side, ...]:
    """Sides of lists of lines: of each, the lines that not all have."""
    known = [set(lines) for lines in values.values() if lines is not None]
    common = set.intersection(*known) if known else set()
    return tuple(
        Side(ranks, None if lines is None else _shortened([line for line in lines if line not in common]))
        for lines, ranks in groups(values)
    )


def sides_of_texts(values: Mapping[int, str | None]) -> tuple[Side, ...]:
    """Sides of texts: of each, the first lines in which it is not as the first."""
    found = groups(values)
    first = next((text for text, _ in found if text is not None), "")
    other = next((text for text, _ in found if text not in (None, first)), "")
    return tuple(
        Side(ranks, None if text is None else _shortened(_differing(text, other if text == first else first)))
        for text, ranks in found
    )


def _differing(text: str, other: str) -> list[str]:
    """The lines of the first place at which a text is not like the other."""
    mine, yours = text.splitlines(), other.splitlines()
    start = next((at for at, (one, two) in enumerate(zip(mine, yours, strict=False)) if one != two), None)
    if start is None:
        return mine[len(yours) :] or ["(ends there)"]
    matcher = difflib.SequenceMatcher(None, mine[start : start + 200], yours[start : start + 200], autojunk=False)
    for tag, first, end, _, _ in matcher.get_opcodes():
        if tag != "equal":
            return mine[start + first : start + end] or ["(nothing there)"]
    return [mine[start]]


def _shortened(lines: Sequence[str]) -> Generated:
    shown: Iterable[str] = (line.strip() for line in lines[:_MOST_LINES])
    more = [f"… and {len(lines) - _MOST_LINES} more lines"] if len(lines) > _MOST_LINES else []
    return Generated("\n".join([*shown, *more]) or "(nothing)")
