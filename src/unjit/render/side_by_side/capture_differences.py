"""Two captures side by side, in text: what changed by topic, then times and what was not compared."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from itertools import chain, groupby

from unjit.model import TOPICS_OF_CHANGE, CaptureDifference, Change, Maybe, TimeDifference, Unknown
from unjit.render.forms.outline import count, fact

_MOST_LINES = 40  # of one change
_MOST_TIMES = 5


def capture_difference_text(difference: CaptureDifference) -> str:
    """The text; `--json` has what is cut here."""
    lines = [f"first:  {difference.first}", f"second: {difference.second}"]
    for topic in TOPICS_OF_CHANGE:
        changes = difference.of_topic(topic)
        if changes:
            lines += ["", f"{topic}:"]
            lines += [line for change in changes for line in _change(change)]
    lines += ["", *_times(difference.times)]
    lines += [f"note: {note}" for note in difference.notes]
    lines.append(_verdict(difference))
    return "\n".join(lines)


def _verdict(difference: CaptureDifference) -> str:
    if difference.same:
        return "The same, as far as both are known." if difference.notes else "The same."
    topics = [topic for topic in TOPICS_OF_CHANGE if difference.of_topic(topic)]
    said = (f"{topic} ({len(difference.of_topic(topic))})" for topic in topics)
    return f"{count(len(difference.changes), 'difference')}: {', '.join(said)}."


def _change(change: Change) -> Iterator[str]:
    first, second = _lines(change.first), _lines(change.second)
    if first is None or second is None:
        which, lines = ("second", second) if first is None else ("first", first)
        assert lines is not None, "a change is of something"
        yield f"  {change.path}: only in the {which}{f': {lines[0]}' if len(lines) == 1 else ''}"
        return
    if len(first) == len(second) == 1:
        yield f"  {change.path}: {first[0]} → {second[0]}"
        return
    yield f"  {change.path}:"
    found = list(difflib.unified_diff(first, second, lineterm="", n=2))[2:]
    yield from _cut([f"    {line}".rstrip() for line in _paired(found)])


def _paired(diff: list[str]) -> Iterator[str]:
    """The lines of a diff, those of one name beside each other: else what is cut off is all of one side."""
    runs = [(sign, list(run)) for sign, run in groupby(diff, key=lambda line: line[:1])]
    signs = ["", *(sign for sign, _ in runs)]
    for before, (sign, run), (after, following) in zip(signs, runs, [*runs[1:], ("", [])], strict=False):
        if (sign, after) == ("-", "+"):
            yield from _beside(run[:_MOST_LINES], following[:_MOST_LINES])
            yield from chain(run[_MOST_LINES:], following[_MOST_LINES:])  # which no one sees: all this is cut
        elif (before, sign) != ("-", "+"):
            yield from run


def _beside(gone: list[str], new: list[str]) -> Iterator[str]:
    named = difflib.SequenceMatcher(None, [*map(_name, gone)], [*map(_name, new)], autojunk=False)
    for tag, start, end, new_start, new_end in named.get_opcodes():
        old, fresh = gone[start:end], new[new_start:new_end]
        yield from (chain(*zip(old, fresh, strict=True)) if tag == "equal" else (*old, *fresh))


def _name(line: str) -> str:
    """What a line is about, as of a guard or of a node of a graph."""
    return line[1:].partition(": ")[0]


def _lines(text: Maybe[str] | None) -> list[str] | None:
    if text is None:
        return None
    return [str(text)] if isinstance(text, Unknown) else text.splitlines()


def _cut(lines: list[str]) -> list[str]:
    """As many lines as one wants to read of one change."""
    rest = len(lines) - _MOST_LINES
    return lines if rest <= 0 else [*lines[:_MOST_LINES], f"    … {count(rest, 'line')} more: --json has them"]


def _times(times: tuple[TimeDifference, ...]) -> Iterator[str]:
    """The sum, and the compiles whose times differ most. Times are never a difference."""
    yield f"compile time: {_sum([time.first for time in times])} → {_sum([time.second for time in times])}"
    both = [time for time in times if isinstance(time.first, (int, float)) and isinstance(time.second, (int, float))]
    for time in sorted(both, key=_by, reverse=True)[:_MOST_TIMES]:
        yield f"  {time.path}: {_seconds(time.first)} → {_seconds(time.second)}"


def _sum(times: list[Maybe[float] | None]) -> str:
    """What is known of it: a capture whose record of times is gone did not take no time."""
    unknown = [time for time in times if isinstance(time, Unknown)]
    known = [time for time in times if isinstance(time, (int, float))]
    if unknown and not known:
        return fact(unknown[0])
    more = f" and {count(len(unknown), 'compile')} of unknown time" if unknown else ""
    return f"{sum(known):.2f} s{more}"


def _by(time: TimeDifference) -> float:
    assert isinstance(time.first, (int, float))
    assert isinstance(time.second, (int, float))
    return abs(time.first - time.second)


def _seconds(value: Maybe[float] | None) -> str:
    return f"{value:.2f} s" if isinstance(value, (int, float)) else fact(value)
