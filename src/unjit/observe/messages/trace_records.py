"""What torch's trace records say, read into the model.

A record's payload wraps one of the messages of breaks.py in a headline, tracebacks and an introduction. What is not
recognised is kept whole as the reason: a text may come out less tidy, it never goes missing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from unjit.model import WHILE_HANDLING, FailedGuard, GraphBreak, Maybe, Message, Place, Unknown
from unjit.model.words.stack_text import place, places_in
from unjit.observe.messages.breaks import first_line, graph_break
from unjit.observe.messages.failed_guards import failed_guards

_HEADLINE = re.compile(r"\AGraph break in user code at (?P<file>.+):(?P<line>\d+)\n")
_REASON = re.compile(r"^(?:Graph Break Reason|Reason): ?", re.MULTILINE)
_INTRODUCTION = re.compile(r"\A(?:Encountered graph break|Failed to handle graph break)[^\n]*\n+")
_SKIPS_REST = "Encountered graph break that we cannot resume from. "  # what follows a break in a `try`, for one
_ANOTHER = re.compile(r"\n\*\*\* While handling this graph break, another graph break occurred: \*\*\*\n+")
_LED_TO = re.compile(
    r"^torch\._dynamo\.exc\.UserError: (?P<said>.*)\n(?:(?!Traceback \(most).*\n)*?"
    r"\nThe above exception was the direct cause of the following exception:$",
    re.MULTILINE,
)  # a break that torch has no kind for, before the one that it describes
_INTERNAL = re.compile(r"^(?:Traceback \(most recent call last\):|NoneType: None)$", re.MULTILINE)
_ATTRIBUTION = re.compile(r"^(?:Stack variable source attribution|User code traceback):$", re.MULTILINE)
_USER_STACK = re.compile(
    r"^(?:User code traceback|The graph break occurred in the following user code):\n", re.MULTILINE
)
_FAILED_AT = re.compile(  # the second of a size that was not to vary, the third of what Inductor could not lower
    r"^(?:from user code:|User stack:|Found from ?: ?)\n", re.MULTILINE
)
_WARNING = "WON'T CONVERT "
_UNRESUMABLE = "Graph break: torch.compile cannot properly resume from this graph break"


def read_breaks(payloads: Sequence[str]) -> tuple[GraphBreak, ...]:
    """The breaks that the `dynamo_graph_break_reason` records of one compile tell of, each once."""
    following = (*payloads[1:], "")[: len(payloads)]
    own = (text for text, after in zip(payloads, following, strict=True) if not _told_again(text, after))
    found = dict.fromkeys(read_break(text) for text in own)
    tried = {replace(one, skips_rest=False) for one in found if one.skips_rest}  # to go on after it, which failed
    return tuple(one for one in found if one not in tried)


def is_warning(payload: str) -> bool:
    """Whether a record of a break is the warning that torch writes ahead of it, where the error is a backend's."""
    return payload.startswith(_WARNING)


def _told_again(payload: str, following: str) -> bool:
    """Whether a record is such a warning, and the next one the break: that has the backend's error among its causes."""
    return is_warning(payload) and not is_warning(following) and payload.rstrip().rpartition("\n")[2] in following


def read_break(payload: str) -> GraphBreak:
    """The break that a `dynamo_graph_break_reason` record tells of."""
    stack = _user_stack(payload)
    if payload.startswith(_UNRESUMABLE):
        return _unresumable(payload, stack)
    parts = _ANOTHER.split(_description(payload))
    found = graph_break("\n".join(parts), stack)
    reason = Message(WHILE_HANDLING.join(map(first_line, (*_before(payload), *parts))))
    return replace(found, reason=reason, place=_place(payload, found), skips_rest=_SKIPS_REST in payload)


def _user_stack(payload: str) -> Maybe[tuple[Place, ...]]:
    """The user's frames, callers first."""
    start = _USER_STACK.search(payload)
    if start is None:
        return Unknown(Message("torch's record of this break has no stack"))
    return tuple(places_in(_INTERNAL.split(payload[start.end() :])[0]))


def _description(payload: str) -> str:
    """The part that describes the break, between its place and the tracebacks."""
    start = _REASON.search(payload)
    body = _INTERNAL.split(_ATTRIBUTION.split(payload[start.end() if start else 0 :])[0])[0]
    return _INTRODUCTION.sub("", body).strip("\n")


def _before(payload: str) -> list[str]:
    """What Dynamo raised before the break that is described, and names in its traceback alone."""
    return [one["said"] for one in _LED_TO.finditer(payload)]


def _place(payload: str, found: GraphBreak) -> Maybe[Place]:
    """The innermost frame, unless torch says in the headline that the break was elsewhere."""
    headline = _HEADLINE.match(payload)
    if headline is None:
        return found.place
    file, line = headline["file"], int(headline["line"])
    if isinstance(found.place, Place) and (found.place.file, found.place.line) == (file, line):
        return found.place
    return place(file, line, None, None)


def _unresumable(payload: str, stack: Maybe[tuple[Place, ...]]) -> GraphBreak:
    """A break for which Dynamo skipped the whole frame; the exception at the end of the text says why."""
    headline = payload.splitlines()[0]
    lines = _INTERNAL.split(payload)[-1].splitlines()
    first = next((at for at, line in enumerate(lines) if line and not line.startswith(" ")), None)
    found = graph_break(headline if first is None else "\n".join(lines[first:]), stack)
    return replace(found, hints=(Message(headline), *found.hints))


def read_failed_at(payload: str) -> tuple[Place, ...]:
    """The program's lines in a `dynamo_error` record, or in the error itself, callers first; none where it has none.

    An error that another one led to has its own lines, which are not those of the compile. Where torch names no line
    that it read, those of the program that raised are meant: of its backend.
    """
    last = payload.rpartition("Traceback (most recent call last):\n")[2]
    found = _FAILED_AT.search(last)
    if found is None:
        return _called_by_torch(places_in(last))
    return tuple(places_in(last[found.end() :].partition("\n\n")[0]))


def _called_by_torch(calls: list[Place]) -> tuple[Place, ...]:
    """The innermost calls, as far as they are of the program; none if nothing else called these."""
    own = [*takewhile(lambda one: one.is_of_the_program, reversed(calls))]
    return tuple(reversed(own)) if len(own) < len(calls) else ()


def read_recompile(payload: str) -> tuple[FailedGuard, ...]:
    """The failed guards that a `recompile_reasons` record tells of: one for each entry that did not fit."""
    return failed_guards(_reasons(payload))


def _reasons(payload: str) -> Sequence[str]:
    """Torch writes one reason as bare text, and any other number as a JSON list."""
    try:
        reasons = json.loads(payload)
    except ValueError:
        return [payload]
    return [str(reason) for reason in reasons] if isinstance(reasons, list) else [payload]
