"""Compiles that failed, and functions that run uncompiled."""

from __future__ import annotations

from collections.abc import Iterator

from unjit.findings.advice_on_errors import advice_on_error
from unjit.model import (
    Capture,
    CapturedCompile,
    Concern,
    ConcernKind,
    Function,
    Maybe,
    Message,
    Name,
    Place,
    State,
    Unknown,
    known_or,
    went_wrong,
)

_STATES: dict[State, ConcernKind] = {"recompile limit": "recompile limit", "skipped": "not compiled"}
_LIMIT_ADVICE = (
    "Remove the causes of its recompiles, listed here too; torch._dynamo.config.recompile_limit raises the limit"
    " (cache_size_limit up to torch 2.6)."
)


def failures(capture: Capture) -> Iterator[Concern]:
    """Each error that ended a compile, once."""
    places = {function.key: function.begins for function in capture.report.functions}
    met: dict[tuple[Name, str, Maybe[Place]], list[CapturedCompile]] = {}
    for one in capture.compiles:
        if one.compile.outcome == "failed":
            lines: tuple[Maybe[Place], ...] = one.compile.failed_at or (places[one.function],)
            met.setdefault((one.function, first_line(one.compile.error), lines[-1]), []).append(one)
    for (name, error, place), compiles in met.items():
        paths = tuple(one.path for one in compiles)
        callers = dict.fromkeys(found for one in compiles if (found := one.compile.failed_caller) is not None)
        yield Concern("failed", Message(error), name, place, paths, _advice(compiles[0]), tuple(callers))


def _advice(failed: CapturedCompile) -> Message | None:
    """What is known to help, and where all of the error can be read."""
    advice = advice_on_error(failed.compile)
    said = (None if advice is None else advice[1], _where_it_is(failed))
    return Message(" ".join(filter(None, said))) if any(said) else None


def _where_it_is(failed: CapturedCompile) -> Message | None:
    """Where all of its error can be read, if it was not left out."""
    kept = (text for text in failed.artifacts if text.name == "error" and not isinstance(text.text, Unknown))
    return next((Message(f"{text.path} has all of the error.") for text in kept), None)


def first_line(error: object) -> str:
    """The first sentence of an error's text."""
    if isinstance(error, Unknown) or not error:
        return str(error or "no error is known")
    return went_wrong(str(error))


def uncompiled(capture: Capture) -> Iterator[Concern]:
    """Functions for which Dynamo makes no entries, or no more."""
    for wanted, kind in _STATES.items():
        for function in capture.report.functions:
            if function.status.state == wanted:
                yield _uncompiled(function, kind, capture)
            elif wanted == "recompile limit" and any(one.is_refused for one in known_or(function.compiles, ())):
                yield _refused(function, capture)


def _uncompiled(function: Function, kind: ConcernKind, capture: Capture) -> Concern:
    detail = function.status.detail or Message("it runs uncompiled")
    if function.resume is not None:
        detail = Message(f"the rest of {function.resume.of}, from this line on: {detail}")
    advice = Message(_LIMIT_ADVICE) if kind == "recompile limit" else function.status.advice
    own = [one for one in capture.compiles if one.function == function.key]
    led_there = [one.path for one in own if kind == "not compiled" and one.compile.outcome == "skipped"]
    paths = led_there or [one.path for one in own]
    return Concern(kind, detail, function.key, function.begins, tuple(paths), advice)


def _refused(function: Function, capture: Capture) -> Concern:
    """A function that was at the limit for a while: a reset has ended that."""
    refused = [one for one in capture.compiles if one.function == function.key and one.compile.is_refused]
    detail = Message(
        "For a while, until a reset or another limit, Dynamo had stopped compiling it at the recompile limit; calls "
        "that fit no entry ran uncompiled."
    )
    paths = tuple(one.path for one in refused)
    return Concern("recompile limit", detail, function.key, function.begins, paths, Message(_LIMIT_ADVICE))
