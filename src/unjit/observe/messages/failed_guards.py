"""Recompile reasons taken apart: the guard of each entry that did not fit, and the line that needs it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from unjit.model import FailedGuard, Generated, Maybe, Message, Name, Place, Unknown
from unjit.model.words.stack_text import place, places_in
from unjit.observe.guards.printed import Part, readable, take_apart

# Of a dict torch says what is wrong, where other guards say what should be.
_LENGTH = re.compile(r"(len\(.*\)) != (\d+)", re.DOTALL)
_CLASS = re.compile(r"TYPE_MISMATCH\((.*)\)", re.DOTALL)
_NO_PYTHON = r"\1 is no function written in Python"  # it may be one that is not: torch.sin
_NO_SIZES = "a tensor that is asked for its sizes is not there, such as the base of one that is no view"
# What torch says where it cannot even reach what it wants to ask about.
_UNREACHED = (
    (re.compile(r"(?:KeyError|IndexError) on (.*)", re.DOTALL), r"there is no \1"),
    (re.compile(r"CodeGuardAccessor: Not a function on (.*)\.__code__", re.DOTALL), _NO_PYTHON),
    (re.compile(r"ClosureGuardAccessor: Not a function on (.*)\.__closure__", re.DOTALL), _NO_PYTHON),
    (re.compile(r"getattr failed on source (.*)\.__code__", re.DOTALL), _NO_PYTHON),  # so up to torch 2.8
    # The sizes of what a tensor is a view of are asked for by no name that torch tells.
    (re.compile(r"'NoneType' object has no attribute '(?:size|stride|storage_offset)'"), _NO_SIZES),
    (re.compile(r"(expected type of '.*' to be a tensor type,) ' (but found .*)", re.DOTALL), r"\1 \2"),
)
_IN_AN_ERROR = "triggered by the following guard failure(s):\n"
_ENTRY = re.compile(r"^(?P<entry>!?[\d/]+/\d+): (?P<text>.*)$", re.DOTALL)


def of_an_error(text: str) -> tuple[FailedGuard, ...]:
    """Those of the error that torch raises instead of compiling again, `error_on_recompile`; none where it has none."""
    lines = re.findall(r"^ {4}- (.*)$", text.partition(_IN_AN_ERROR)[2], re.MULTILINE)
    reasons: list[str] = []
    for line in lines:
        if _ENTRY.match(line) or not reasons:
            reasons.append(line)
        else:
            reasons[-1] += f"\n{line}"
    return failed_guards(reasons)


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
    return FailedGuard(entry, Generated(_condition(part)), innermost(stack) or _cause(part))


def innermost(stack: Sequence[Place]) -> Place | None:
    """The innermost line of the program that can be read: one of `<string>`, as a dataclass's `__init__`, cannot.

    Else the innermost of the program, or of what it called, where all of them lie in packages.
    """
    own = [place for place in reversed(stack) if place.is_of_the_program]
    readable = (place for place in own if not isinstance(place.code, Unknown))
    return next(readable, None) or next(iter((*own, *stack[-1:])), None)


def _condition(part: Part) -> str:
    """What should have held; in words, what was otherwise."""
    condition = readable("", part.condition)
    if length := _LENGTH.fullmatch(condition):
        return f"{length[1]} == {length[2]}"
    if kind := _CLASS.fullmatch(condition):
        return f"{kind[1]} is of another class"
    found = ((pattern.fullmatch(condition), said) for pattern, said in _UNREACHED)
    return next((match.expand(said) for match, said in found if match), condition)


def _cause(part: Part) -> Maybe[Place]:
    comment = part.comment
    if comment is None or comment.code is None:
        return Unknown(Message("torch does not say which line needs it"))
    return place(comment.file, comment.line, comment.function, comment.code)
