"""What torch still remembers of compiles that are over."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import CodeType
from typing import Any

from unjit.bytecode import Definition
from unjit.model import CompileId, Maybe, Unknown
from unjit.torch_private.cache.entries import compile_id_of
from unjit.torch_private.probes import history_probes as probes
from unjit.torch_private.probes.graph_probes import GRAPH_REASON

INTERRUPTED = "Interrupted"  # our word for the kind of what torch tells none of
SKIP_REASON = probes.SKIP_REASONS.name.rpartition(".")[2]  # among torch's metrics
HOW_INTERRUPTED = "by KeyboardInterrupt or another exception that is no error; torch does not say which"


@dataclass(frozen=True, slots=True)
class RawCompile:
    """One compile that ended: what torch's metrics say of it."""

    compile_id: CompileId
    definition: Definition | None  # None: Dynamo gave up before it looked at the function
    entries_before: int | None
    recompile_reason: str | None
    restarts: tuple[str, ...]
    has_code: bool
    has_guards: bool  # without them no entry was made
    operations: int | None
    error: str | None
    error_place: tuple[str, int] | None
    suppressed: bool  # torch was told to run the original whatever error there is
    seconds: float | None
    skips: tuple[str, ...]  # why its graphs run without CUDA graphs


def notes_breaks_in_loops() -> bool:
    """Whether a compile that ended at one has an error: in older versions it looks as one that found nothing."""
    return not isinstance(probes.LOOP_BREAKS.get(), Unknown)


@dataclass(frozen=True, slots=True)
class RawBreak:
    """Why and where a graph ended."""

    reason: str
    stack: tuple[traceback.FrameSummary, ...]
    is_break: bool = True


def recent_compiles() -> Maybe[list[RawCompile]]:
    """The last compiles since the start or reset, oldest first; of backward compiles the time counts with the others.

    torch keeps these records over a reset, which begins the numbers anew: what precedes the last 0/0 is another life.
    """
    metrics = probes.METRICS.call()
    if isinstance(metrics, Unknown):
        return metrics
    made: list[RawCompile] = []
    for record in metrics:
        if getattr(record, "is_forward", True) is False:
            _add_backward(made, record)
        elif (compiled := _compile(record)) is not None:
            made.append(compiled)
    begin = max((i for i, compiled in enumerate(made) if compiled.compile_id == CompileId(0, 0)), default=0)
    return made[begin:]


def _add_backward(made: list[RawCompile], record: Any) -> None:
    """A backward graph is compiled when it first runs, under the number of the compile that it is a part of."""
    took, compile_id = getattr(record, "duration_us", None) or 0, compile_id_of(getattr(record, "compile_id", None))
    for at in reversed(range(len(made))):
        if made[at].compile_id == compile_id:
            whole = made[at].seconds
            seconds = None if whole is None else round(whole + took / 1e6, 6)
            made[at] = replace(made[at], seconds=seconds, skips=made[at].skips + _skips(record))
            return


def _compile(record: Any) -> RawCompile | None:
    compile_id = compile_id_of(getattr(record, "compile_id", None))
    if isinstance(compile_id, Unknown):
        return None
    kind, reason = getattr(record, "fail_type", None), getattr(record, "fail_reason", None)
    if was_interrupted(vars(record)):
        kind, reason = INTERRUPTED, HOW_INTERRUPTED
    file, line = getattr(record, "fail_user_frame_filename", None), getattr(record, "fail_user_frame_lineno", None)
    return RawCompile(
        compile_id=compile_id,
        definition=_definition(record),
        entries_before=getattr(record, "cache_size", None),
        recompile_reason=getattr(record, "recompile_reason", None),
        restarts=tuple(sorted(getattr(record, "restart_reasons", None) or ())),
        has_code=bool(getattr(record, "has_guarded_code", False)),
        has_guards=getattr(record, "guard_count", None) is not None,
        operations=getattr(record, "graph_op_count", None),
        error=f"{kind}: {reason}" if kind else None,
        error_place=(file, line) if file and line else None,
        suppressed=getattr(record, "config_suppress_errors", None) is True,
        seconds=getattr(record, "entire_frame_compile_time_s", None),
        skips=_skips(record),
    )


def _skips(record: Any) -> tuple[str, ...]:
    reason = getattr(record, SKIP_REASON, None)
    return (str(reason),) if reason else ()


def was_interrupted(metrics: Mapping[str, Any]) -> bool:
    """Whether an exception went through a compile that torch does not catch, so that its metrics name none.

    Since 2.9, where they have the stacks of errors, each compile that comes to its end has code, if only none to run.
    """
    ended = metrics.get("has_guarded_code") is not False or metrics.get("fail_type") is not None
    return not ended and "exception_stack_trace" in metrics


def _definition(record: Any) -> Definition | None:
    name = getattr(record, "co_name", None)
    return None if name is None else Definition(record.co_filename, record.co_firstlineno, name)


def break_of_graph(graph_module: Any) -> RawBreak | None:
    """Why Dynamo ended this graph; None if it does not say."""
    return _break(GRAPH_REASON.of(graph_module))


def remembered_breaks() -> Maybe[list[RawBreak]]:
    """Every graph break since the start or reset."""
    reasons = probes.BREAK_REASONS.get()
    if isinstance(reasons, Unknown):
        return reasons
    return [found for found in map(_break, list(reasons)) if found is not None]


def _break(reason: Any) -> RawBreak | None:
    text, stack = getattr(reason, "reason", None), getattr(reason, "user_stack", None)
    if not isinstance(text, str) or stack is None:
        return None
    return RawBreak(text, tuple(stack), bool(getattr(reason, "graph_break", True)))


def break_texts() -> list[str]:
    """The full texts of graph breaks and failures that Dynamo counts."""
    counted = counters()
    return [text for group in ("graph_break", "unimplemented") for text in list(counted.get(group, ()))]


def counters() -> dict[str, Any]:
    """How often what happened, by group, as Dynamo goes on counting; an empty dict where this torch does not tell."""
    found: Any = probes.COUNTERS.get()
    return {} if isinstance(found, Unknown) else found


def guard_failures(code: CodeType) -> Maybe[list[str]]:
    """Why entries of `code` did not fit, call after call."""
    failures = probes.GUARD_FAILURES.get()
    if isinstance(failures, Unknown):
        return failures
    found = (texts for key, texts in list(failures.items()) if key is code)  # by identity: equal code may be another's
    return [str(text) for text in next(found, ())]


def was_delayed(code: CodeType) -> Maybe[bool]:
    """Whether a stance that compiles from the second call on has seen a call of `code`: torch forgets none of them."""
    seen = probes.DELAYED.get()
    if isinstance(seen, Unknown):
        return seen
    return bool((seen or {}).get(f"{code.co_filename}{code.co_firstlineno}"))


def was_seen(code: CodeType) -> Maybe[bool]:
    """Whether Dynamo looked at `code` since the start or reset."""
    seen = probes.SEEN_CODES.get()
    return seen if isinstance(seen, Unknown) else code in seen


def seen_codes() -> Maybe[list[CodeType]]:
    """Every code object that Dynamo looked at since the start or reset and that is still alive."""
    seen = probes.SEEN_CODES.get()
    references = seen if isinstance(seen, Unknown) else probes.SEEN_REFERENCES.of(seen)
    if isinstance(references, Unknown):
        return references
    return [code for code in (reference() for reference in list(references)) if code is not None]
