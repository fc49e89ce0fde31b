"""Why functions were compiled again, function by function."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TypeAlias

from unjit.findings.advice import CONSTANT, MISMATCH, NUMBER, OF_SETTINGS, advice_for
from unjit.findings.gathering import gathering
from unjit.model import (
    Capture,
    CapturedCompile,
    CompileId,
    Concern,
    FailedGuard,
    Function,
    Maybe,
    Message,
    Place,
    ResumePoint,
    Topic,
    Unknown,
    known_or,
)
from unjit.model.words.wording import (
    NUMBERS_VARY,
    SIZES_VARY,
    VARYING_INTS,
    an_entry_for_each_size,
    fixed_by_a_line,
    instead_of_a_constant,
    other_arguments,
    sizes_of_a_parameter,
)

_Value: TypeAlias = tuple[str, str | None]  # a tensor and a dimension; the name of a number
_Fixed: TypeAlias = dict[_Value, set[str]]
_VALUES = re.compile(r"\b\d+\b|(?<=== ).+$")
_SIZE = re.compile(r"^tensor '.+' (?:size|stride) mismatch")
_CONSTANT = re.compile(rf"^(?P<what>.+?) == {NUMBER}")
_LENGTH = re.compile(r"^(?:not )?(?:len\()?(?P<what>\w+)\)?(?: [!=]= \d+)?$")  # of a local itself
_OF_A_PARAMETER = "Guard failed on a parameter,"  # as torch adds to what it says of a size
_SETTINGS = re.compile(rf"{OF_SETTINGS} \((?P<names>.+)\), or ")
_MOST_CAUSES = 3  # causes that are told of one function
_FOR_WRAPPERS = (
    "What one decorator makes shares its entries, and all count against Dynamo's limit: "
    "compile the functions and decorate what torch.compile returns, or accept entries for each."
)
_FOR_TORCHS_WRAPPER = (
    "torch compiles modules of its own, partials and callable objects through one wrapper, whose entries all count "
    "against Dynamo's limit: compile a function for each that calls it, or accept entries for each."
)
_FOR_A_BACKWARD = (
    "Compiled autograd had it compiled for a backward pass, whose sizes follow from those of the forward: let "
    "them vary by torch.compile(…, dynamic=True), or accept one entry for each."
)


def recompiles(capture: Capture) -> Iterator[Concern]:
    """One for each function that was compiled again, those with most compiles first."""
    compiles = capture.by_function()
    again = [(function, list(_again(compiles.get(function.key, ())))) for function in capture.report.functions]
    for function, found in sorted(again, key=lambda one: -len(one[1])):
        if found:
            yield _concern(function, found, capture)


def _again(compiles: Iterable[CapturedCompile]) -> Iterator[CapturedCompile]:
    return (one for one in compiles if one.compile.failed_guards)


def _concern(function: Function, compiles: list[CapturedCompile], capture: Capture) -> Concern:
    wraps = _wraps(function)
    first = {made_for: number for number, made_for in reversed(wraps.items()) if made_for}
    others = [one for one in compiles if _number(one) in first.values()]
    guards = _most_common_first(
        [guard for one in compiles for guard in _failed(one) if _is_of_the_same(guard, one, wraps)]
    )
    said = [f"{_times(len(others))} for another function that it wraps"] if others else []
    said += [f"{_times(len(compiles) - len(others))}: {_causes(guards)}"] if len(compiles) > len(others) else []
    known = [_FOR_TORCHS_WRAPPER if function.is_torchs_wrapper else _FOR_WRAPPERS] if others else []
    gathered = gathering(function, capture) if any(_LENGTH.match(guard.condition) for guard in guards) else {}
    seen = _Seen(_fixed(compiles), _lines(compiles), _topics(function), gathered)
    known += [advice for guard in guards for advice in [_advice(guard, function, seen)] if advice]
    known = _of_settings_at_once(known)
    causes = [guard.cause for guard in (*guards, *(guard for one in compiles for guard in _failed(one)))]
    cause = next((cause for cause in causes if not isinstance(cause, Unknown)), function.begins)
    paths = tuple(one.path for one in compiles)
    advice = Message(" ".join(dict.fromkeys(known))) if known else None
    said_of_all = Message("; ".join(said))
    return Concern("recompile", said_of_all, function.key, cause, paths, advice, _callers(cause, compiles))


def _callers(cause: Place, compiles: Iterable[CapturedCompile]) -> tuple[Place, ...]:
    """The lines of the program that called what is in a library, which does not say whose recompiles they are."""
    if cause.is_of_the_program:
        return ()
    stacks = (known_or(one.stack, ()) for one in compiles)
    own = ([frame.place for frame in stack if frame.place.is_of_the_program] for stack in stacks)
    return tuple(dict.fromkeys(places[-1] for places in own if places))


def _most_common_first(guards: list[FailedGuard]) -> list[FailedGuard]:
    """What keeps the most entries from fitting comes first: conditions count as one that differ in a value alone."""
    often = Counter(map(_kind, guards))
    return sorted(guards, key=lambda guard: -often[_kind(guard)])


def _kind(guard: FailedGuard) -> str:
    return _VALUES.sub("", guard.condition)


def _fixed(compiles: list[CapturedCompile]) -> _Fixed:
    """The sizes and numbers for which entries were there at once, where there were several.

    Those of compiles on either side of a reset tell nothing: Dynamo forgets then what it has seen.
    """
    several: _Fixed = {}
    for one in compiles:
        values: _Fixed = {}
        for guard in _failed(one):
            if found := MISMATCH.match(guard.condition):
                values.setdefault((found["what"], found["dim"]), set()).add(found["expected"])
            elif found := CONSTANT.match(guard.condition):
                values.setdefault((found["what"], None), set()).add(guard.condition)
        for key, those in values.items():
            if len(those) > 1:
                several.setdefault(key, set()).update(those)
    return several


def _lines(compiles: list[CapturedCompile]) -> dict[_Value, str]:
    """The lines that made one number of a size that Dynamo let vary: of other sizes no line is known."""
    found: dict[_Value, str] = {}
    for guard in (guard for one in compiles for guard in _failed(one)):
        if (size := MISMATCH.match(guard.condition)) and not isinstance(guard.cause, Unknown):
            place = guard.cause
            found.setdefault((size["what"], size["dim"]), f"{PurePath(place.file).name}:{place.line}")
    return found


def _topics(function: Function) -> dict[str, Topic]:
    """What sort of value each tensor and number is that entries ask about, as far as there are entries left."""
    guards = (guard for entry in function.entries for guard in known_or(entry.guards, ()))
    return {str(guard.subject): guard.topic for guard in guards if guard.kind in ("TENSOR_MATCH", "EQUALS_MATCH")}


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the compiles of a function tell together."""

    fixed: _Fixed
    lines: dict[_Value, str]
    topics: dict[str, Topic]
    gathered: dict[str, str]


def _advice(guard: FailedGuard, function: Function, seen: _Seen) -> str | None:
    """What to change so that this guard holds; None if nothing is known."""
    length, mismatch, constant = (pattern.match(guard.condition) for pattern in (_LENGTH, MISMATCH, CONSTANT))
    if length and length["what"] in seen.gathered:
        return other_arguments(seen.gathered[length["what"]])
    if mismatch and _OF_A_PARAMETER in guard.condition:
        return sizes_of_a_parameter(mismatch["what"])
    if _SIZE.search(guard.condition) and _is_of_a_backward(function):
        return _FOR_A_BACKWARD
    if function.resume is not None:
        where_it_comes_from = _advice_on_resume(guard, function.resume, constant, seen.fixed)
        if where_it_comes_from is not None:
            return where_it_comes_from
    topic = seen.topics.get((mismatch or constant or {"what": ""})["what"])
    if mismatch:
        return _advice_on_size(guard, mismatch, topic, seen)
    advice = advice_for(guard.condition)
    return advice if constant is None else _advice_on_number(constant, topic, seen.fixed, advice)


def _is_of_a_backward(function: Function) -> bool:
    """Whether compiled autograd had it compiled alone: its arguments are what the forward kept, and gradients."""
    ids = [one.compile_id for one in known_or(function.compiles, ()) if not isinstance(one.compile_id, Unknown)]
    return bool(ids) and all(one.autograd is not None for one in ids)


def _advice_on_resume(
    guard: FailedGuard, resume: ResumePoint, constant: re.Match[str] | None, fixed: _Fixed
) -> str | None:
    """Where a size or number comes from that a resume function gets: nobody passes it, so nobody can let it vary."""
    if _SIZE.search(guard.condition):
        what = f"the call of {resume.of}: let those of its arguments vary, as with dynamic=True."
        return f"Its sizes follow from {what}"
    number = _constant_in(guard.condition, resume)
    if not number:
        return None
    taken = f"{number} for a constant where {resume.of.rpartition('<locals>.')[2]} goes on"
    told = f"Dynamo takes {taken}: make it a tensor there, or keep it the same in all calls."
    return f"{told} {NUMBERS_VARY}" if constant and _may_vary(constant, "arguments", fixed) else told


def _advice_on_size(guard: FailedGuard, mismatch: re.Match[str], topic: Topic | None, seen: _Seen) -> str | None:
    """What to do about a size that differs: of a module's tensor, of one with an entry for each size, of any other."""
    what = mismatch["what"]
    if topic == "module":
        return f"Leave {what} of the module as it is between calls, or accept one entry for each size of it."
    size = what, mismatch["dim"]
    if line := seen.lines.get(size):
        return fixed_by_a_line(line, *size, seen.fixed.get(size, {mismatch["expected"]}))
    if own := seen.fixed.get(size):
        return an_entry_for_each_size(*size, own)
    advice = advice_for(guard.condition)
    return f"{advice} {SIZES_VARY}" if advice and topic else advice


def _advice_on_number(constant: re.Match[str], topic: Topic | None, fixed: _Fixed, known: str | None) -> str | None:
    """Of a number whose topic is known; what is known of its words otherwise."""
    if topic is None or known is None or not known.startswith(f"Dynamo takes {constant['what']}"):
        return known
    advice = f"Dynamo takes {constant['what']} for a constant: {instead_of_a_constant(topic, _value(constant))}"
    return f"{advice} {NUMBERS_VARY}" if _may_vary(constant, topic, fixed) else advice


def _may_vary(constant: re.Match[str], topic: Topic, fixed: _Fixed) -> bool:
    """Whether it is a number of which Dynamo has seen one value, in a place where it lets such a number vary."""
    is_int = _value(constant).lstrip("-").isdigit()
    return (topic in VARYING_INTS or not is_int) and (constant["what"], None) not in fixed


def _value(constant: re.Match[str]) -> str:
    return constant.string.rpartition(" == ")[2]


def _constant_in(condition: str, point: ResumePoint) -> str | None:
    """The value that a resume function takes for a number: a variable, or what lay on the stack, as it is computed."""
    constant = _CONSTANT.match(condition)
    if constant is None:
        return None
    stack = () if point.stack is None or isinstance(point.stack, Unknown) else point.stack
    words = {str(value.expression) for value in stack}
    what = constant["what"]
    if what == "...":
        return "a value"  # redacted
    return what if what.isidentifier() or what in words or what[1:-1] in words else None


def _of_settings_at_once(known: list[str]) -> list[str]:
    """What to do about torch's settings once for all of them, where the first of them is told."""
    matches = {at: found for at, advice in enumerate(known) if (found := _SETTINGS.match(advice))}
    names = dict.fromkeys(name for found in matches.values() for name in found["names"].split())
    said = f"{OF_SETTINGS} ({', '.join(names)}), or accept an entry for each."
    return [said if at in matches else advice for at, advice in enumerate(known)]


_Number: TypeAlias = tuple[int, str]  # the resets since then, and the number as reasons name an entry


def _wraps(function: Function) -> dict[_Number, tuple[str, ...]]:
    """What the code of a decorator's wrapper was compiled for, compile by compile, as far as it is known."""
    return {_numbered(one.compile_id): known_or(one.wraps, ()) for one in known_or(function.compiles, ())}


def _is_of_the_same(guard: FailedGuard, one: CapturedCompile, wraps: dict[_Number, tuple[str, ...]]) -> bool:
    """Whether the entry that did not fit was made for the same function as the compile, as far as it is known."""
    own = wraps.get(_number(one))
    return wraps.get((_number(one)[0], str(guard.entry)), own) == own


def _number(one: CapturedCompile) -> _Number:
    return _numbered(one.compile.compile_id)


def _numbered(compile_id: Maybe[CompileId]) -> _Number:
    if isinstance(compile_id, Unknown):
        return 0, str(compile_id)
    return compile_id.resets, str(replace(compile_id, resets=0))


def _failed(one: CapturedCompile) -> tuple[FailedGuard, ...]:
    return known_or(one.compile.failed_guards, ())


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _causes(guards: list[FailedGuard]) -> str:
    first = {_kind(guard): guard for guard in reversed(guards)}  # of each kind one, before the others
    ordered = [*sorted(first.values(), key=guards.index), *guards]
    said = list(dict.fromkeys(f"{guard.entry} did not fit: {guard.told}" for guard in ordered))
    if not said:
        return "torch does not say why"
    more = f"; and {len(said) - _MOST_CAUSES} more" if len(said) > _MOST_CAUSES else ""
    return "; ".join(said[:_MOST_CAUSES]) + more
