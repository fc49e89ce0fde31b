"""Compiles that are over, as far as torch remembers them, assigned to the functions they were of."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from types import CodeType

from unjit.bytecode import Definition
from unjit.model import (
    Compile,
    CompileId,
    FailedGuard,
    FilePath,
    GraphBreak,
    Maybe,
    Message,
    Name,
    Outcome,
    Place,
    Unknown,
    known_or,
)
from unjit.observe.faults import known, or_else
from unjit.observe.functions.sources import frame_place, line_text, lines_of
from unjit.observe.functions.wrappers import may_wrap
from unjit.observe.messages.breaks import graph_break, graph_breaks
from unjit.observe.messages.cuda_graphs import cuda_graph_skips
from unjit.observe.messages.failed_guards import failed_guards
from unjit.observe.messages.trace_records import read_failed_at
from unjit.observe.status.giving_up import ends_at_a_break, gives_up
from unjit.observe.targets.behind_wrapper import NamesBehind, failed_with_names, names_by_guards
from unjit.torch_private.cache import comprehensions
from unjit.torch_private.cache import history as torch_history
from unjit.torch_private.cache.entries import RawEntry
from unjit.torch_private.cache.history import RawBreak, RawCompile
from unjit.torch_private.cache.targets import is_torchs_wrapper
from unjit.torch_private.guard_trees.guards import guards_of

_NOT_KEPT = Unknown(Message("torch does not keep it; unjit run and a capture see it while it compiles"))
_CALLERS_NOT_KEPT = Unknown(
    Message("torch keeps the innermost line alone; unjit run and a capture see those that called it")
)
_SKIPS_REST = "step_unsupported"  # torch's word for every break after which it cannot go on
_IN_A_COMPREHENSION = "A break in a comprehension; torch does not keep which it was"
_CAUSE_NOT_KEPT = "A break after which Dynamo cannot go on; torch does not keep which it was"
_LOST = Unknown(Message("torch remembers the last compiles alone, and this one is not among them"))


@dataclass(frozen=True, slots=True)
class EntryFacts:
    """What an entry that is alive tells about its compile."""

    raw: RawEntry
    breaks: tuple[RawBreak, ...] = ()  # at the ends of its graphs
    resume_lines: frozenset[int] = frozenset()  # the lines at which its code leaves the function


@dataclass(slots=True)
class History:
    """What torch remembers at the moment of asking."""

    compiles: Maybe[list[RawCompile]]
    breaks: Maybe[list[RawBreak]]
    texts: list[str]

    @classmethod
    def now(cls, losses: list[Message]) -> History:
        """What torch says now; what it does not say of its breaks is a loss."""
        return cls(
            known("the last compiles", torch_history.recent_compiles),
            known("graph breaks", torch_history.remembered_breaks),
            or_else([], losses, "the full texts of graph breaks", torch_history.break_texts),
        )

    def without(self, frames: Container[int]) -> History:
        """The same without compiles of these frames, which are known to be of other code than what is asked about."""
        if isinstance(self.compiles, Unknown):
            return self
        return replace(self, compiles=[raw for raw in self.compiles if raw.compile_id.frame not in frames])

    def of(
        self, code: CodeType, entries: list[EntryFacts], given_up_at: RawCompile | None = None
    ) -> Maybe[tuple[Compile, ...]]:
        """The compiles of `code`, oldest first; `given_up_at` is the one at which Dynamo gave it up, where it did."""
        remembered = self._remembered(code, entries)
        alive = {e.raw.compile_id: e for e in entries if isinstance(e.raw.compile_id, CompileId)}
        forgotten = [e for key, e in alive.items() if key not in {r.compile_id for r in remembered}]
        if not remembered and not alive and isinstance(self.compiles, Unknown):
            return self.compiles
        failures = _shared_out(remembered, torch_history.guard_failures(code))
        made = [self._forgotten(code, e) for e in forgotten]
        for raw in remembered:
            entry = alive.get(raw.compile_id)
            outcome = _outcome(raw, entry, is_given_up=raw is given_up_at)
            failed = failed_with_names(_failed(raw, failures), _names(code, raw, entry))
            made.append(self._compile(code, raw, entry, outcome, failed))
        return tuple(sorted(made, key=_order))

    def knows(self, definition: Definition) -> bool:
        """Whether torch remembers a compile of a function that is defined there."""
        return any(raw.definition == definition for raw in known_or(self.compiles, []))

    def last(self, code: CodeType) -> RawCompile | None:
        """The last compile of a function that has no entries."""
        remembered = self._remembered(code, [])
        return remembered[-1] if remembered else None

    def given_up(self, code: CodeType, entries: list[EntryFacts]) -> RawCompile | None:
        """The compile at which Dynamo gave `code` up, or may have: see `gives_up`. None if it still compiles it."""
        last = {raw.compile_id.frame: raw for raw in self._remembered(code, entries)}
        alive = {entry.raw.compile_id for entry in entries}
        left = [raw for raw in last.values() if raw.compile_id not in alive and gives_up(raw) is not False]
        return left[-1] if left and len(left) == len(last) else None

    def _remembered(self, code: CodeType, entries: list[EntryFacts]) -> list[RawCompile]:
        if isinstance(self.compiles, Unknown) or torch_history.was_seen(code) is False:
            return []
        frames = {e.raw.compile_id.frame for e in entries if isinstance(e.raw.compile_id, CompileId)}
        if frames:
            may_be_ours = (None, Definition.of(code))
            return [c for c in self.compiles if c.definition in may_be_ours and c.compile_id.frame in frames]
        return [c for c in self.compiles if c.definition == Definition.of(code)]

    def _compile(
        self,
        code: CodeType,
        raw: RawCompile,
        entry: EntryFacts | None,
        outcome: Outcome,
        failed: Maybe[tuple[FailedGuard, ...]],
    ) -> Compile:
        return Compile(
            compile_id=raw.compile_id,
            outcome=outcome,
            breaks=self._breaks(code, raw, entry),
            failed_guards=failed,
            error=None if raw.error is None else Message(raw.error),
            restarts=tuple(Message(text) for text in raw.restarts),
            seconds=Unknown(Message("torch did not measure it")) if raw.seconds is None else raw.seconds,
            backend=Unknown(Message("torch keeps it with the entry, which is gone"))
            if entry is None
            else entry.raw.backend,
            wraps=_wraps(code),
            failed_at=_failed_at(raw),
            cuda_graph_skips=cuda_graph_skips(raw.skips),
        )

    def _forgotten(self, code: CodeType, entry: EntryFacts) -> Compile:
        return Compile(
            compile_id=entry.raw.compile_id,
            outcome="compiled",
            breaks=self._breaks(code, None, entry),
            failed_guards=_first_or_lost(entry.raw.compile_id),
            error=None,
            restarts=_LOST,
            seconds=_LOST,
            backend=entry.raw.backend,
            wraps=_wraps(code),
        )

    def _breaks(
        self, code: CodeType, raw: RawCompile | None, entry: EntryFacts | None
    ) -> Maybe[tuple[GraphBreak, ...]]:
        """From the graphs of the entry; else from what Dynamo noted at the lines where the entry leaves off."""
        if entry is None or entry.raw.code is None:  # Dynamo drops the code of an entry that it invalidates
            return self._breaks_without_entry(code, raw)
        found = [b for b in entry.breaks if b.is_break] or self._at_lines(code, raw, entry.resume_lines)
        if found:
            return _distinct(full for b in found for full in self._full(b, raw))
        if not entry.resume_lines and not entry.breaks and raw is None:
            return _LOST  # no graph tells how it ended, and nothing else is left that would
        if not entry.resume_lines:
            return _distinct(full for b in self._at_the_end(code, raw) for full in self._full(b, raw))
        if raw is not None and raw.restarts:
            return _without_place(raw.restarts)
        return Unknown(Message("history lost: torch keeps no reason for this break"))

    def _at_the_end(self, code: CodeType, raw: RawCompile | None) -> list[RawBreak]:
        """The break of an entry that ends in it, as `return g(x)` does: without a graph, and with nothing to resume."""
        if raw is None or raw.operations or not raw.restarts:
            return []
        return self._at_lines(code, raw, lines_of(code))

    def _breaks_without_entry(self, code: CodeType, raw: RawCompile | None) -> Maybe[tuple[GraphBreak, ...]]:
        if raw is None:
            return _LOST
        if raw.error is not None:
            return self._error_breaks(raw) if raw.error.startswith("Unsupported") else ()
        lines = lines_of(code)
        found = self._at_lines(code, raw, lines) if raw.restarts else []
        if found:
            return _distinct(full for b in found for full in self._full(b, raw))
        if raw.restarts or not raw.operations:
            return _without_place(raw.restarts)
        return Unknown(Message("history lost: the entry that would tell is gone"))

    def _at_lines(self, code: CodeType, raw: RawCompile | None, lines: frozenset[int]) -> list[RawBreak]:
        """The breaks noted at these lines of the function; those alone that the compile restarted for, if it did."""
        if isinstance(self.breaks, Unknown):
            return []
        near = [b for b in self.breaks if b.is_break and b.stack and b.stack[0].filename == code.co_filename]
        near = [b for b in near if b.stack[0].lineno in lines]
        if raw is not None and raw.restarts:
            near = [b for b in near if b.reason in raw.restarts or b.reason.startswith("generic_jump")]
        return near

    def _error_breaks(self, raw: RawCompile) -> tuple[GraphBreak, ...]:
        error = (raw.error or "").partition(": ")[2]
        lines = _failed_at(raw)
        breaks = graph_breaks(error, lines)
        if not lines or lines[-1].is_of_the_program:
            return breaks
        return (replace(breaks[0], stack=_CALLERS_NOT_KEPT), *breaks[1:])

    def _full(self, found: RawBreak, raw: RawCompile | None) -> Iterator[GraphBreak]:
        """Dynamo notes some breaks in two words, and counts them with the full text, which names the place.

        One after which it cannot go on has the same word whatever it was: the compile restarted for it. Where it
        restarted for several, all of them are told.
        """
        stack = tuple(frame_place(frame) for frame in found.stack)
        if found.reason in (_SKIPS_REST, comprehensions.BREAK_REASON):
            skips_rest = found.reason == _SKIPS_REST
            causes = [text for text in (() if raw is None else raw.restarts) if text in self.texts]
            for text in causes or [_CAUSE_NOT_KEPT if skips_rest else _IN_A_COMPREHENSION]:
                yield replace(graph_break(text, stack), skips_rest=skips_rest)
            return
        text = found.reason
        if "\n" not in text and found.stack:
            here = f'File "{found.stack[-1].filename}", line {found.stack[-1].lineno},'
            text = next((full for full in self.texts if here in full), text)
        yield graph_break(text, stack)


def _wraps(code: CodeType) -> Maybe[tuple[Name, ...]]:
    return _NOT_KEPT if may_wrap(code) else ()


def _outcome(raw: RawCompile, entry: EntryFacts | None, *, is_given_up: bool) -> Outcome:
    """Where no guards were made there is no entry, as of a trace without tensor operations: the original runs."""
    if raw.error is not None:
        return "skipped" if ends_at_a_break(raw, is_given_up) else "failed"
    return "compiled" if entry is not None or (raw.has_code and raw.has_guards) else "skipped"


def _failed(raw: RawCompile, failures: dict[CompileId, list[str]]) -> Maybe[tuple[FailedGuard, ...]]:
    if raw.compile_id in failures:
        return failed_guards(failures[raw.compile_id])
    return failed_guards([raw.recompile_reason]) if raw.recompile_reason else ()


def _names(code: CodeType, raw: RawCompile, entry: EntryFacts | None) -> NamesBehind | None:
    """The names for what torch's own wrapper was called with, by the entry that was made then."""
    if entry is None or not (raw.compile_id.compile and is_torchs_wrapper(code)) or entry.raw.invalid is not None:
        return None
    guards = known("its guards", guards_of, entry.raw.guard_manager)
    return None if isinstance(guards, Unknown) else names_by_guards(code, guards.root)


def _first_or_lost(compile_id: Maybe[CompileId]) -> Maybe[tuple[FailedGuard, ...]]:
    """The first compile of a frame has no entries before it that could fail."""
    return () if isinstance(compile_id, CompileId) and compile_id.compile == 0 else _LOST


def _shared_out(compiles: list[RawCompile], reasons: Maybe[list[str]]) -> dict[CompileId, list[str]]:
    """All failures in order, dealt to the compiles that they led to; nothing if the numbers do not agree."""
    if isinstance(reasons, Unknown):
        return {}
    counts = [raw.entries_before for raw in compiles]
    rest = len(reasons) - sum(count for count in counts if count is not None)
    if rest < 0 or counts.count(None) > 1 or (rest and None not in counts):
        return {}
    dealt = iter(reasons)
    sizes = (rest if count is None else count for count in counts)
    return {raw.compile_id: [next(dealt) for _ in range(size)] for raw, size in zip(compiles, sizes, strict=True)}


def _without_place(texts: Iterable[str]) -> tuple[GraphBreak, ...]:
    return tuple(graph_break(text, Unknown(Message("torch does not say where"))) for text in texts)


def _failed_at(raw: RawCompile) -> tuple[Place, ...]:
    """The innermost line alone is what torch keeps, unless the error itself tells more."""
    if raw.error_place is None:
        return read_failed_at(raw.error or "")
    file, line = raw.error_place
    return (Place(FilePath(file), line, Unknown(Message("torch does not say")), line_text(file, line)),)


def _distinct(breaks: Iterable[GraphBreak]) -> tuple[GraphBreak, ...]:
    return tuple(dict.fromkeys(breaks))


def _order(compile_: Compile) -> tuple[int, int]:
    found = compile_.compile_id
    return (found.frame, found.compile) if isinstance(found, CompileId) else (-1, -1)
