"""torch's long messages taken apart: breaks into reason, explanation, hints and link; recompile reasons into guards."""

from __future__ import annotations

import re
from collections.abc import Iterable

from unjit.model import (
    FailedGuard,
    FilePath,
    Generated,
    GraphBreak,
    Maybe,
    Message,
    Name,
    Place,
    Unknown,
    UserSource,
)
from unjit.observe.guards.printed import Part, readable, take_apart

_EXPLANATION = re.compile(
    r"\n\s*Explanation:\s*(.*?)(?=\n\s*Hint:|\n\s*Developer debug context:|\n\s*For more|\Z)", re.DOTALL
)
_HINT = re.compile(r"\n\s*Hint:\s*(.*?)(?=\n\s*Hint:|\n\s*Developer debug context:|\n\s*For more|\Z)", re.DOTALL)
_LINK = re.compile(r"please visit: (\S+)")
_FRAME = re.compile(r'\s*File "(?P<file>[^"]*)", line (?P<line>\d+), in (?P<function>\S+)(?:, code: (?P<code>.*))?')
_SKIPPED = re.compile(r"frame skipped: (?P<function>\S+) \((?P<file>.*) line (?P<line>\d+)\)")
_ANOTHER = "*** While handling this graph break, another graph break occurred: ***"
_ENTRY = re.compile(r"^(?P<entry>!?[\d/]+/\d+): (?P<text>.*)$", re.DOTALL)


def graph_breaks(text: str, stack: Maybe[tuple[Place, ...]]) -> tuple[GraphBreak, ...]:
    """The breaks that one message tells of: if Dynamo cannot go on after one, the same message tells why."""
    first, *others = text.split(_ANOTHER)
    return (graph_break(first, stack), *(graph_break(other, _skipped_frame(other)) for other in others))


def hits_limit(text: str) -> bool:
    """Whether a failure says that Dynamo makes no more entries of a function; the last word is torch 2.6's."""
    return any(name in text.lower() for name in ("recompile limit", "recompilelimit", "cache_size_limit"))


def gave_up(text: str) -> bool:
    """Whether a failure made Dynamo run the original, which it does only where breaks are allowed."""
    return _ANOTHER in text or _SKIPPED.search(text) is not None


def _skipped_frame(text: str) -> Maybe[tuple[Place, ...]]:
    match = _SKIPPED.search(text)
    if match is None:
        return ()
    return (place(match["file"], int(match["line"]), match["function"], None),)


def graph_break(text: str, stack: Maybe[tuple[Place, ...]]) -> GraphBreak:
    """A break from torch's text for it and the stack of user frames, callers first."""
    explanation = _EXPLANATION.search(text)
    link = _LINK.search(text)
    place = stack if isinstance(stack, Unknown) else (stack[-1] if stack else _named_place(text))
    return GraphBreak(
        reason=Message(_short(text)),
        place=place,
        stack=stack,
        explanation=Message(explanation[1].strip()) if explanation else None,
        hints=tuple(Message(" ".join(hint.split())) for hint in _HINT.findall(text)),
        link=FilePath(link[1]) if link else None,
    )


def _short(text: str) -> str:
    first = text.strip().splitlines()[0] if text.strip() else "no reason given"
    return "Data-dependent branching" if first.startswith("generic_jump") else first


def _named_place(text: str) -> Maybe[Place]:
    found = places_in(text)
    return found[-1] if found else Unknown(Message("torch does not say where"))


def places_in(text: str) -> list[Place]:
    """Each `File "…", line …, in …` of a text, with the line of code below it or beside it."""
    lines = text.splitlines()
    found = []
    for index, line in enumerate(lines):
        match = _FRAME.match(line.lstrip("# "))
        if match:
            below = lines[index + 1].strip() if index + 1 < len(lines) else ""
            code = match["code"] or (below if below and not below.startswith("File ") else None)
            found.append(place(match["file"], int(match["line"]), match["function"], code))
    return found


def place(file: str, line: int | None, function: str | None, code: str | None) -> Place:
    """A place of the model from plain values; what is None becomes unknown."""
    return Place(
        FilePath(file),
        Unknown(Message("torch does not say")) if line is None else line,
        Unknown(Message("torch does not say")) if function is None else Name(function),
        Unknown(Message("the file cannot be read")) if code is None else UserSource(code),
    )


def failed_guards(reasons: Iterable[str]) -> tuple[FailedGuard, ...]:
    """The guards of recompile reasons such as `0/1: tensor 'a' size mismatch…`, one for each entry that did not fit."""
    return tuple(failed_guard(reason) for reason in reasons)


def failed_guard(reason: str) -> FailedGuard:
    """One recompile reason taken apart."""
    match = _ENTRY.match(reason)
    text = match["text"] if match else reason
    entry: Maybe[Name] = Name(match["entry"]) if match else Unknown(Message("torch does not say which entry"))
    stack = places_in(text.partition("\nUser stack trace:\n")[2])
    part = take_apart(text)
    return FailedGuard(entry, Generated(readable("", part.condition)), stack[-1] if stack else _cause(part))


def _cause(part: Part) -> Maybe[Place]:
    comment = part.comment
    if comment is None or comment.code is None:
        return Unknown(Message("torch does not say which line needs it"))
    return place(comment.file, comment.line, comment.function, comment.code)
