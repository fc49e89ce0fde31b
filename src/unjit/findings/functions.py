"""Compiles that failed, and functions that run uncompiled."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unjit.findings.advice_by_explanation import by_explanation
from unjit.findings.advice_on_breaks import BRANCHING, on_a_branch
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
from unjit.model.context_text import subject_of

_HINT = re.compile(r"\n\s*Hint:\s*(.*?)(?=\n\s*Hint:|\n\s*\n|\Z)", re.DOTALL)
_EXPLANATION = re.compile(r"\n\s*Explanation:\s*(.*?)(?=\n\s*Hint:|\n\s*\n|\Z)", re.DOTALL)
_NO_PLACE = Unknown(Message("torch does not say where"))
_IN_A_TRANSFORM = "Unsupported functorch tracing attempt"
_CANNOT_GO_ON = "Cannot generate resume function for generator, coroutine"
_COMPILE_WHAT_IT_CALLS = (
    "In a generator or coroutine Dynamo cannot go on after a graph break, and an await is one: compile the functions "
    "that it calls."
)
_PUT_IT_INSIDE = (
    "It was called under a transform of torch.func that was entered outside of what is compiled, which its backend "
    "does not accept: compile the transform too, as in torch.compile(torch.func.vmap(function))."
)
_RAISED_ON_RECOMPILE = (
    "torch was told to raise where it would compile again, by torch._dynamo.config.error_on_recompile: remove the "
    "cause, listed here too."
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
    """What torch itself advises first, as for a graph break, and where all of the error can be read."""
    error = failed.compile.error
    said = (None if isinstance(error, Unknown) or error is None else _hint(error, failed), _where_it_is(failed))
    return Message(" ".join(filter(None, said))) if any(said) else None


def _hint(error: str, failed: CapturedCompile) -> str | None:
    if _IN_A_TRANSFORM in error:  # torch says it among much else
        return _PUT_IT_INSIDE
    if _CANNOT_GO_ON in error:
        return _COMPILE_WHAT_IT_CALLS
    if error.startswith("RecompileError"):
        return _RAISED_ON_RECOMPILE
    if BRANCHING in first_line(error):
        lines = failed.compile.failed_at
        return on_a_branch(lines[-1] if lines else _NO_PLACE)
    explanation = _EXPLANATION.search(error)
    if explanation and (known := by_explanation(explanation[1], subject_of(error))):
        return known
    hint = _HINT.search(error)
    return " ".join(hint[1].split()) if hint else None


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
