"""Two entries side by side, in text."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from unjit.model import EntryDifference, GuardDifference, Maybe, TextDifference, Unknown
from unjit.render.forms.outline import count

_WIDTH = 76  # of each of the two columns


def difference_text(difference: EntryDifference) -> str:
    """The guards that differ, then graphs and code in two columns."""
    lines = [f"{difference.first} and {difference.second}"]
    lines += _guards(difference)
    for text in (*difference.graphs, difference.code):
        lines += _text(text)
    return "\n".join(line.rstrip() for line in lines)


def _guards(difference: EntryDifference) -> Iterator[str]:
    same = count(difference.same_guards, "guard")
    if not difference.guards:
        yield f"guards: {same}, all the same"
        return
    yield f"guards: {same} the same, {len(difference.guards)} not:"
    for guard in difference.guards:
        yield f"  {guard.subject} ({_kind(guard)}): {_side(guard.first)}  |  {_side(guard.second)}"


def _kind(guard: GuardDifference) -> str:
    return str(guard.kind).lower().replace("_", " ")


def _side(expected: object) -> str:
    return "not asked" if expected is None else str(expected)


def _text(text: TextDifference) -> Iterator[str]:
    if text.is_same:
        yield f"{text.name}: the same"
        return
    yield f"{text.name}:"
    for left, mark, right in _rows(_lines(text.first), _lines(text.second)):
        yield f"  {left:<{_WIDTH}} {mark} {right}"


def _lines(text: Maybe[str] | None) -> list[str]:
    if text is None:
        return ["(none)"]
    return [str(text)] if isinstance(text, Unknown) else text.expandtabs().rstrip("\n").splitlines()


def _rows(first: list[str], second: list[str]) -> Iterator[tuple[str, str, str]]:
    """Lines beside each other, with a mark between those that differ."""
    matcher = difflib.SequenceMatcher(a=first, b=second, autojunk=False)
    for tag, start, end, other_start, other_end in matcher.get_opcodes():
        left, right = first[start:end], second[other_start:other_end]
        for index in range(max(len(left), len(right))):
            one = left[index] if index < len(left) else ""
            other = right[index] if index < len(right) else ""
            yield from _folded(one, " " if tag == "equal" else "|", other)


def _folded(left: str, mark: str, right: str) -> Iterator[tuple[str, str, str]]:
    """A row, in as many lines as the longer side needs."""
    for start in range(0, max(len(left), len(right), 1), _WIDTH):
        yield left[start : start + _WIDTH], mark, right[start : start + _WIDTH]
