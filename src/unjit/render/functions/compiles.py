"""Breaks, recompiles and failures in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from unjit.model import (
    WHILE_HANDLING,
    Compile,
    CudaGraphSkip,
    Entry,
    GraphBreak,
    Maybe,
    Message,
    Place,
    Unknown,
    headline,
    known_or,
    went_wrong,
)
from unjit.render.forms.outline import Item, Section, Source, count, listed
from unjit.render.forms.places import where

_LONG = 3  # calls of others in a row
_AFTER_EXPLANATION = re.compile(r"\n\s*(?:Hint:|Developer debug context:|For more)|\n\n")  # what torch says after it


Told = set[tuple[GraphBreak, Message | None]]  # breaks with their explanations, which make no break another one


def compile_items(compile_: Compile, told: Told) -> Iterator[Item]:
    """What it was for, why it happened, and where it broke.

    `told` are the breaks that the reader has seen; those of this compile are added to it. Of a break that was told
    before, just the calls that led to it are given, where they are others.
    """
    yield from _wrapped(compile_)
    yield from recompile_reasons(compile_)
    if isinstance(compile_.breaks, Unknown):
        yield f"Whether and why it broke is {compile_.breaks}."
    else:
        for found in compile_.breaks:
            alone = without_callers(found), found.explanation
            yield _told_again(found, told) if alone in told else break_section(found)
            told |= {(found, found.explanation), alone}
    if compile_.error is not None and compile_.outcome == "failed":
        yield _failure(compile_)
    yield from map(_skip, dict.fromkeys(compile_.cuda_graph_skips))


def _failure(compile_: Compile) -> Item:
    """The error that ended it, with the line where it came up, unless that has been told as a break's."""
    said, lines = f"The compile failed: {error_of(compile_)}", compile_.failed_at
    if any(_line(found.place) == _line(lines[-1]) for found in breaks_in(compile_) if lines):
        return said
    advice = advice_on_error(compile_)
    to_do = () if advice is None else (f"{advice[0].capitalize()}: {advice[1]}",)
    told = (*((f"at {where(lines[-1])}", *_callers(lines)) if lines else ()), *to_do)
    return Section(said, told) if told else said


def _skip(skip: CudaGraphSkip) -> Section:
    """Why a graph runs without CUDA graphs, though the program asked for them."""
    advice = advice_on_skip(skip)
    at = () if isinstance(skip.place, Unknown) else (f"at {where(skip.place)}",)
    return Section(f"Without CUDA graphs: {skip.reason}", (*at, *(() if advice is None else (f"To do: {advice}",))))


def _line(place: Maybe[Place]) -> object:
    return place if isinstance(place, Unknown) else (place.file, place.line)


def _wrapped(compile_: Compile) -> Iterator[str]:
    if isinstance(compile_.wraps, Unknown):
        yield f"Which function it wraps is {compile_.wraps}."
    elif compile_.wraps:
        yield f"It wraps {listed(compile_.wraps)}."


def wrapped(compiles: Iterable[Compile]) -> tuple[str, ...]:
    """The functions that a decorator's wrapper was compiled for, as far as they are known."""
    known = (found.wraps for found in compiles if not isinstance(found.wraps, Unknown))
    return tuple(dict.fromkeys(name for wraps in known for name in wraps))


def around(compiles: Iterable[Compile]) -> Iterator[str]:
    """`around A.forward, B.forward`, if it is such a wrapper."""
    if names := wrapped(compiles):
        yield f"around {listed(names)}"


def by_autograd(compiles: Iterable[Compile]) -> Iterator[str]:
    """`by compiled autograd`, if that is what had them made: a backward pass as it runs, or what is called in one."""
    ids = [found.compile_id for found in compiles if not isinstance(found.compile_id, Unknown)]
    if ids and all(found.autograd is not None for found in ids):
        yield "by compiled autograd"


def _told_again(found: GraphBreak, told: Told) -> Item:
    """A break that was told before, with the calls that led to it this time if these are others."""
    said = f"Graph break as above: {found.reason} at {where(found.place)}"
    return said if (found, found.explanation) in told else Section(said, tuple(_calls(found)))


def error_of(compile_: Compile) -> str:
    """The error that ended a compile, in one line, with what torch says to explain it."""
    error = compile_.error
    if isinstance(error, Unknown) or error is None:
        return f"its error is {error or 'not known'}"
    said = headline(error)
    explanation = _said_first(_AFTER_EXPLANATION.split(error.partition("\n  Explanation: ")[2])[0])
    within = went_wrong(error).removeprefix(said).removeprefix(": ")  # of an operation whose arguments take many lines
    told = explanation if within in explanation else within
    return f"{said}: {told}" if told else said


def _said_first(explanation: str) -> str:
    """The first line of torch's explanation, with the list that follows where it announces one."""
    first, _, others = explanation.partition("\n")
    return " ".join(explanation.split()) if first.endswith(":") and others.strip() else first


def goes_on_uncompiled(entry: Entry, compiles: Iterable[Compile]) -> bool:
    """Whether Dynamo made no resume function after a break of this entry: the rest then runs as it was written."""
    if entry.resume_functions or entry.kind != "cache entry":
        return False
    own = (found for found in compiles if found.compile_id == entry.compile_id)
    breaks = (found.breaks for found in own if not isinstance(found.breaks, Unknown))
    return any(found.skips_rest or WHILE_HANDLING in found.reason for of_compile in breaks for found in of_compile)


def recompile_reasons(compile_: Compile) -> Iterator[str]:
    """Why the entries that existed did not fit."""
    failed = compile_.failed_guards
    if isinstance(failed, Unknown):
        yield f"Why it was compiled again is {failed}."
        return
    for guard in failed:
        place = "" if guard.cause is None or isinstance(guard.cause, Unknown) else f" [{where(guard.cause)}]"
        yield f"Entry {guard.entry} did not fit: {guard.told}{place}"


def break_section(found: GraphBreak) -> Section:
    """A graph break with the calls that led to it and what can be done."""
    items: list[Item] = [f"at {where(found.place)}", *_calls(found), *skipped_rest(found)]
    if found.explanation is not None:
        items.append(_said_first(found.explanation))
    if (advice := advice_on(found)) and advice not in found.hints:
        items.append(f"To do: {advice}")
    items += [f"Hint: {hint}" for hint in found.hints]
    if found.link is not None:
        items.append(f"More: {found.link}")
    return Section(f"Graph break: {found.reason}", tuple(items))


def skipped_rest(found: GraphBreak) -> Iterator[str]:
    """A sentence on what becomes of the rest of the function, where Dynamo made nothing of it."""
    if found.skips_rest:
        yield "Dynamo cannot go on after it: the rest of the function runs as it was written, uncompiled."


def advice_on(found: GraphBreak) -> Message | None:
    """What to do about a break, which is loaded when something breaks."""
    from unjit.findings import advice_on_breaks

    return advice_on_breaks.advice_on(found)


def advice_on_error(failed: Compile) -> tuple[str, str] | None:
    """What to do about the error that ended a compile, after the word for it; loaded when one fails."""
    from unjit.findings import advice_on_errors

    return advice_on_errors.advice_on_error(failed)


def advice_on_skip(skip: CudaGraphSkip) -> Message | None:
    """What to do about a graph that runs without CUDA graphs; loaded when one does."""
    from unjit.findings import cuda_graphs

    return cuda_graphs.advice_on_skip(skip)


def _calls(found: GraphBreak) -> Iterator[Item]:
    if not isinstance(found.stack, Unknown):
        yield from _callers(found.stack)
    elif isinstance(found.place, Place) and not found.place.is_of_the_program:
        yield f"called from: {found.stack}"


def _callers(stack: tuple[Place, ...]) -> Iterator[Item]:
    if len(stack) > 1:
        yield Section("called from", (Source(tuple(_calls_in_short(stack))),))


def _calls_in_short(stack: tuple[Place, ...]) -> Iterator[str]:
    """The calls of the program, and what leads on from its last one: many calls of others before one are counted.

    So those of a notebook are, or of what runs tests.
    """
    last = max((at for at, place in enumerate(stack) if place.is_of_the_program), default=0)
    for is_counted, calls in groupby(enumerate(stack[:-1]), lambda one: one[0] < last and not one[1].is_of_the_program):
        places = [place for _, place in calls]
        if is_counted and len(places) > _LONG:
            yield f"({count(len(places), 'call')} outside of the program)"
        else:
            yield from map(where, places)


def breaks_of(compiles: Maybe[tuple[Compile, ...]]) -> set[GraphBreak]:
    """The breaks that are known of in these compiles, each once however often it was met, and whoever called."""
    return {found for one in known_or(compiles, ()) for found in breaks_in(one)}


def breaks_in(compile_: Compile) -> Iterator[GraphBreak]:
    """The graph breaks that are known of in a compile, whoever called."""
    for found in known_or(compile_.breaks, ()):
        yield without_callers(found)


def without_callers(found: GraphBreak) -> GraphBreak:
    """A break without the calls that led to it."""
    return replace(found, stack=())


def seconds(compile_: Compile) -> str:
    """The time of a compile."""
    return str(compile_.seconds) if isinstance(compile_.seconds, Unknown) else f"{compile_.seconds:.2f} s"
