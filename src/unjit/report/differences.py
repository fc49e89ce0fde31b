"""The page of two captures side by side, as one string of HTML without a script."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from unjit.model import TOPICS_OF_CHANGE, CaptureDifference, Change, Maybe, TimeDifference, Unknown
from unjit.report.bundle import policy, read
from unjit.report.rendering import in_a_link, rendered

_STYLES: Final = ("style/page.css", "style/differences.css")
_AROUND: Final = 3  # lines that are the same, before and after each that is not


@dataclass(frozen=True)
class Row:
    """Lines beside each other. `mark` is the kind of row: same, changed, gone, new, or cut."""

    mark: str
    first: str
    second: str


@dataclass(frozen=True)
class Shown:
    """One change: its place, and its rows; or only where it is, with one line of what it is."""

    id: str
    path: str
    only: str | None  # the side that alone has it
    rows: tuple[Row, ...]


def differences_page(difference: CaptureDifference) -> str:
    """One HTML file: what changed by topic, in two columns, then times and what was not compared."""
    style = "".join(map(read, _STYLES))
    return rendered(
        "differences.html",
        policy=policy("", style),
        style=Markup(style),  # noqa: S704 (our own files)
        difference=difference,
        topics=[(topic, [_shown(one) for one in difference.of_topic(topic)]) for topic in TOPICS_OF_CHANGE],
        times=[(one.path, _seconds(one.first), _seconds(one.second)) for one in _by_difference(difference.times)],
        total=[f"{_sum(difference.times, first=first):.2f} s" for first in (True, False)],
    )


def _shown(change: Change) -> Shown:
    sides = [_lines(change.first), _lines(change.second)]
    only = "the second" if change.first is None else "the first" if change.second is None else None
    ident = in_a_link(f"{change.topic}={change.path}")
    return Shown(ident, str(change.path), only, tuple(_rows(*sides)))


def _lines(text: Maybe[str] | None) -> list[str]:
    if text is None:
        return []
    return [str(text)] if isinstance(text, Unknown) else text.expandtabs().splitlines()


def _rows(first: list[str], second: list[str]) -> Iterator[Row]:
    matcher = difflib.SequenceMatcher(a=first, b=second, autojunk=False)
    for number, group in enumerate(matcher.get_grouped_opcodes(_AROUND)):
        if number:
            yield Row("cut", "…", "…")
        for tag, start, end, other_start, other_end in group:
            yield from _aligned(tag, first[start:end], second[other_start:other_end])


def _aligned(tag: str, left: list[str], right: list[str]) -> Iterator[Row]:
    for at in range(max(len(left), len(right))):
        mark = "same" if tag == "equal" else "gone" if at >= len(right) else "new" if at >= len(left) else "changed"
        yield Row(mark, left[at] if at < len(left) else "", right[at] if at < len(right) else "")


def _by_difference(times: tuple[TimeDifference, ...]) -> list[TimeDifference]:
    return sorted(times, key=lambda one: -abs(_number(one.first) - _number(one.second)))


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


def _seconds(value: Maybe[float] | None) -> str:
    return "—" if value is None else f"{value:.2f} s" if isinstance(value, (int, float)) else str(value)


def _sum(times: tuple[TimeDifference, ...], *, first: bool) -> float:
    return sum(_number(one.first if first else one.second) for one in times)
