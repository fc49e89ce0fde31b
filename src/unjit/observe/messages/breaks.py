"""The messages of graph breaks taken apart: reason, explanation, hints and link; and whether Dynamo then gave up."""

from __future__ import annotations

import re

from unjit.model import FilePath, GraphBreak, Maybe, Message, Place, Unknown
from unjit.model.words.context_text import subject_of
from unjit.model.words.stack_text import place, places_in

_EXPLANATION = re.compile(
    r"\n\s*Explanation:[^\S\n]*(.*?)(?=\n\s*Hint:|\n\s*Developer debug context:|\n\s*For more|\Z)", re.DOTALL
)
_HINT = re.compile(r"\n\s*Hint:\s*(.*?)(?=\n\s*Hint:|\n\s*Developer debug context:|\n\s*For more|\Z)", re.DOTALL)
_LINK = re.compile(r"please visit: (\S+)")
_SKIPPED = re.compile(r"frame skipped: (?P<function>\S+) \((?P<file>.*) line (?P<line>\d+)\)")
_ANOTHER = "*** While handling this graph break, another graph break occurred: ***"


def graph_breaks(text: str, stack: Maybe[tuple[Place, ...]]) -> tuple[GraphBreak, ...]:
    """The breaks that one message tells of: if Dynamo cannot go on after one, the same message tells why."""
    first, *others = text.split(_ANOTHER)
    return (graph_break(first, stack), *(graph_break(other, _skipped_frame(other)) for other in others))


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
    return GraphBreak(
        reason=Message(_short(text)),
        place=stack if isinstance(stack, Unknown) else (stack[-1] if stack else _named_place(text)),
        stack=stack,
        explanation=Message(explanation[1].strip()) if explanation and explanation[1].strip() else None,
        hints=tuple(Message(" ".join(hint.split())) for hint in _HINT.findall(text)),
        link=FilePath(link[1]) if link else None,
        subject=subject_of(text),
    )


def _short(text: str) -> str:
    said = first_line(text)
    return "Data-dependent branching" if said.startswith("generic_jump") else said


def first_line(text: str) -> str:
    """What a message says first, which is the reason of a break."""
    return text.strip().splitlines()[0] if text.strip() else "no reason given"


def _named_place(text: str) -> Maybe[Place]:
    found = places_in(text)
    return found[-1] if found else Unknown(Message("torch does not say where"))
