"""Recorded compiles to the model's, and what became of their functions."""

from __future__ import annotations

from dataclasses import replace

from unjit.model import (
    Compile,
    CompileId,
    FailedGuard,
    GraphBreak,
    Maybe,
    Message,
    Outcome,
    Status,
    Term,
    Unknown,
    headline,
)
from unjit.model.explained.compiles import hits_limit
from unjit.observe.listening.recorded_compile import RecordedCompile
from unjit.observe.messages.cuda_graphs import cuda_graph_skips
from unjit.observe.messages.failed_guards import of_an_error
from unjit.observe.messages.trace_records import is_warning, read_breaks, read_failed_at, read_recompile
from unjit.observe.status.giving_up import ALLOWED, AT_A_BREAK, RAISED_AT_LIMIT
from unjit.observe.targets.behind_wrapper import failed_with_names

UNFINISHED = Unknown(Message("the compile was still running when the program, or its log, ended"))
_NOT_TOLD = Unknown(
    Message(
        "torch's trace had neither its beginning nor its end: it never has of compiles of torch.export and aot_compile,"
        " nor where the program switched it off"
    )
)
_EXPORTED = Unknown(Message("torch.export captured its graph, which makes no entry, and torch tells no more of it"))
_LOADED = Unknown(Message("torch had it compiled already, and loaded it: what it was compiled with is not kept"))
_AHEAD = Unknown(Message("torch's trace does not tell it of what aot_compile compiles"))
_NOT_MADE = Unknown(Message("it came to no guards: aot_compile raised, or had not ended"))
_BACKWARD_ALONE = Unknown(Message("it was compiled before the recording began, in which its backward graph was"))
_GIVEN_AWAY = Message("aot_compile made entries of it, which the program kept no longer.")
_REFUSED = Unknown(Message("the compile was refused before it began"))
_ALL_DROPPED = Message("Dynamo dropped its entries before the program ended, at a reset or with what they depended on.")


def read_compile(recorded: RecordedCompile, compile_id: CompileId, backend: Maybe[Term]) -> Compile:
    """One recorded compile as data, under a number that tells it from compiles before a reset."""
    metrics = recorded.metrics
    seconds = unended(recorded) if metrics is None and not is_made_ahead(recorded) else recorded.seconds
    restarts = unended(recorded) if metrics is None else metrics["restart_reasons"]
    is_told = not (recorded.is_backward_alone or _is_of_export(recorded) or is_loaded(recorded))
    untold = None if is_told else unended(recorded)
    return Compile(
        compile_id=compile_id,
        outcome=untold or outcome(recorded),
        breaks=() if recorded.exported else untold or _read_breaks(recorded),  # an export that breaks raises
        failed_guards=_failed_guards(recorded, untold),
        error=_error(recorded),
        restarts=restarts if isinstance(restarts, Unknown) else tuple(Message(text) for text in sorted(restarts or ())),
        seconds=Unknown(Message("torch did not measure it")) if seconds is None else seconds,
        backend=backend,
        wraps=recorded.wraps if recorded.started or not hit_limit(recorded) else _REFUSED,
        failed_at=read_failed_at(recorded.error or "") if outcome(recorded) == "failed" else (),
        cuda_graph_skips=cuda_graph_skips(recorded.skips),
    )


def _read_breaks(recorded: RecordedCompile) -> tuple[GraphBreak, ...]:
    """Its breaks. Of one in a comprehension that its code runs apart torch says that it skips the rest, and goes on."""
    found = read_breaks(_breaks(recorded))
    return tuple(replace(one, skips_rest=False) for one in found) if recorded.takes_out else found


def _breaks(recorded: RecordedCompile) -> list[str]:
    """The records of its breaks: with fullgraph=True an error is none, though torch's warning of it is one."""
    failed = (recorded.metrics or {}).get("fail_type") is not None
    alone = failed and bool(recorded.breaks) and is_warning(recorded.breaks[-1])
    return recorded.breaks[:-1] if alone else recorded.breaks


def _failed_guards(recorded: RecordedCompile, untold: Unknown | None) -> Maybe[tuple[FailedGuard, ...]]:
    """Why the entries that existed did not fit: at the first compile of a frame there were none."""
    if recorded.recompile is not None:
        return failed_with_names(read_recompile(recorded.recompile), recorded.names)
    if found := of_an_error(_error(recorded) or ""):
        return failed_with_names(found, recorded.names)
    return () if untold is None or recorded.compile_id.compile == 0 else untold


def is_loaded(recorded: RecordedCompile) -> bool:
    """Whether torch had it compiled already, in this program or in another."""
    return recorded.loaded and recorded.metrics is None


def is_made_ahead(recorded: RecordedCompile) -> bool:
    """Whether aot_compile came to the guards of what it hands out."""
    return recorded.guarded


def unended(recorded: RecordedCompile) -> Unknown:
    """Why nothing is known that torch tells at the end of a compile."""
    if recorded.ahead:
        return _AHEAD if is_made_ahead(recorded) else _NOT_MADE
    if recorded.exported:
        return _EXPORTED
    if recorded.is_backward_alone:
        return _BACKWARD_ALONE
    if is_loaded(recorded):
        return _LOADED
    return _NOT_TOLD if recorded.definition is None else UNFINISHED


def _is_of_export(recorded: RecordedCompile) -> bool:
    """Whether nothing tells of a function: what AOTInductor makes of an exported program ends under the same number."""
    refused = (recorded.metrics or {}).get("fail_type") is not None  # at the limit, before it began
    return not (recorded.started or refused or is_made_ahead(recorded)) and recorded.definition is None


def outcome(recorded: RecordedCompile) -> Outcome:
    """A break that Dynamo cannot resume from skips the frame; any other failure reaches the user, unless suppressed."""
    metrics = recorded.metrics
    if metrics is None:
        return "compiled" if is_made_ahead(recorded) else "running"
    if metrics["fail_type"] is not None:
        return "skipped" if _gave_up(recorded) else "failed"
    if metrics["guard_count"] is None:  # no guards were made for it, so no entry: torch 2.9 tells of code all the same
        return "skipped"
    return "compiled" if metrics["has_guarded_code"] else "skipped"


def _gave_up(recorded: RecordedCompile) -> bool:
    """Whether an error that ended a compile stayed inside Dynamo, which ran the original."""
    kind = (recorded.metrics or {}).get("fail_type")
    if kind == RAISED_AT_LIMIT:
        return False
    return hit_limit(recorded) or kind == "SkipFrame" or (bool(_breaks(recorded)) and kind in ALLOWED)


def hit_limit(recorded: RecordedCompile) -> bool:
    """Whether Dynamo refused this compile because the function has too many entries."""
    metrics = recorded.metrics or {}
    return hits_limit(f"{metrics.get('fail_type')} {metrics.get('fail_reason')}")


def _error(recorded: RecordedCompile) -> Message | None:
    metrics = recorded.metrics or {}
    kind, reason = metrics.get("fail_type"), metrics.get("fail_reason")
    return None if kind is None else Message(f"{kind}: {reason}")


def status_without_entries(compiles: list[RecordedCompile]) -> Status:
    """Why a function that Dynamo tried to compile has no entry at the end of the run."""
    last = compiles[-1]
    if _is_of_export(last) or is_loaded(last):
        return Status(unended(last), None, None)
    if hit_limit(last):
        detail = "Dynamo stopped compiling it at the recompile limit; calls that fit no entry ran uncompiled."
        if (last.metrics or {}).get("fail_type") == RAISED_AT_LIMIT:
            detail = (
                f"Dynamo stopped compiling it at the recompile limit, and the call raised: {_headline(_error(last))}"
            )
        return Status("recompile limit", Message(detail), Message("See why it recompiled."))
    if any(is_made_ahead(recorded) for recorded in compiles):
        return Status("invalidated", _GIVEN_AWAY, None)
    if any(outcome(recorded) == "compiled" for recorded in compiles):
        return Status("invalidated", _ALL_DROPPED, None)
    match outcome(last):
        case "failed":
            advice = Message(
                "See its failed compiles. The error came out of the call, unless torch was told to suppress it."
            )
            return Status("failed", _headline(_error(last)), advice)
        case "running":
            return Status(unended(last), None, None)
    if last.breaks:
        detail, advice = map(Message, AT_A_BREAK)
        return Status("skipped", detail, advice)
    return Status("skipped", Message("Dynamo found no tensor operations in it; the original ran."), None)


def _headline(text: Message | None) -> Message | None:
    return None if text is None else Message(headline(text))
