"""The reader of live state: what Dynamo has for some functions at this moment."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from unjit.bytecode import distinct
from unjit.collection import collection_paused
from unjit.model import (
    PYTHON_VERSION,
    Compile,
    CompileId,
    FilePath,
    Function,
    Maybe,
    Message,
    Name,
    Place,
    Report,
    ResumePoint,
    Status,
    Term,
    Unknown,
)
from unjit.observe.entries.entry import EntryContext, OpenEntry, open_entry, read_entry
from unjit.observe.faults import known, or_else
from unjit.observe.functions.names import identifier, original_of, unused
from unjit.observe.functions.resume_functions import Originals, read_resume, unread_resume
from unjit.observe.functions.sources import first_place, lines_of, qualname
from unjit.observe.messages.full_paths import full_path, with_full_paths
from unjit.observe.status.history import EntryFacts, History
from unjit.observe.status.reasons import WayIn, status_with_entries, status_without_entries
from unjit.observe.status.still_looked_at import attention_to
from unjit.observe.targets.resolving import Target
from unjit.observe.targets.settled_locals import Asked, asked_by_code
from unjit.torch_private.cache import history as torch_history
from unjit.torch_private.cache.entries import RawEntry, entries_of, has_entries
from unjit.torch_private.cache.resumes import NAME_PREFIX, is_loaded_resume, is_resume_code, resume_codes_of
from unjit.torch_private.probes.probe import torch_version


@dataclass(slots=True)
class LiveReport:
    """The data, with the live code objects of its functions and entries beside it."""

    report: Report
    functions: dict[Name, CodeType]
    entries: dict[tuple[Name, int], CodeType]
    managers: dict[tuple[Name, int], Any]  # torch's guard managers of valid entries


def read(targets: Iterable[Target], *, scaffolding: bool = False, asked: Iterable[Any] = ()) -> LiveReport:
    """What Dynamo has for these targets, for their resume functions, and for functions they break into.

    With `scaffolding`, generated code is read with what only serves torch's profiler. `asked` are the objects that the
    targets were resolved from: of entries that others share with them it is told whether they are for these.
    """
    with collection_paused():  # guards and code make tens of thousands of small objects
        return _Reader(scaffolding, asked_by_code(asked)).read(list(targets))


def compiled_targets() -> Maybe[list[Target]]:
    """Every function that Dynamo compiled or failed to compile since the start or reset, resume functions left out."""
    codes = known("what Dynamo looked at", torch_history.seen_codes)
    if isinstance(codes, Unknown):
        return codes
    compiles = known("the last compiles", torch_history.recent_compiles)
    tried = set() if isinstance(compiles, Unknown) else {(c.file, c.first_line, c.name) for c in compiles}
    return [
        Target(code, None)
        for code in codes
        if not is_resume_code(code) and (_key(code) in tried or known("its entries", has_entries, code) is not False)
    ]


def _key(code: CodeType) -> tuple[str, int, str]:
    """What torch's metrics know a function by."""
    return code.co_filename, code.co_firstlineno, code.co_name


@dataclass(slots=True)
class _Reader:
    """One reading. Functions are found breadth first, so that those asked for come first."""

    scaffolding: bool
    asked: dict[int, Asked]  # by the identity of code objects
    keys: dict[int, Name] = field(default_factory=dict)  # by identity of code objects, which `codes` keeps alive
    codes: dict[Name, CodeType] = field(default_factory=dict)
    pending: deque[tuple[CodeType, str | None]] = field(default_factory=deque)
    qualnames: dict[int, str] = field(default_factory=dict)  # by which the user knows the targets
    names: dict[int, dict[str, None]] = field(default_factory=dict)  # globals that name a resume function, each once
    ways: dict[int, WayIn] = field(default_factory=dict)  # to targets, by their code
    losses: list[Message] = field(default_factory=list)
    opened: dict[int, list[OpenEntry]] = field(default_factory=dict)
    seen: list[CodeType] = field(default_factory=list)
    entry_codes: dict[tuple[Name, int], CodeType] = field(default_factory=dict)
    managers: dict[tuple[Name, int], Any] = field(default_factory=dict)
    originals: Originals = field(default_factory=Originals)
    _full_paths: dict[tuple[int, str], str] = field(default_factory=dict)
    history: History = field(init=False)

    def read(self, targets: list[Target]) -> LiveReport:
        seen = known("what Dynamo looked at", torch_history.seen_codes)
        self.seen = [] if isinstance(seen, Unknown) else seen
        self.history = History.now(self.losses)
        for target in targets:
            self.qualnames.setdefault(id(target.code), target.qualname or qualname(target.code))
        roots = tuple(dict.fromkeys(key for target in targets for key in self._roots(target)))
        for part in (part for target in targets for part in target.parts):
            if self.open(part):
                self.key_of(part)
        functions = []
        while self.pending:
            code, disabled = self.pending.popleft()
            found = known("it", self.function, code, disabled)
            functions.append(self._unread(code, found) if isinstance(found, Unknown) else found)
        report = Report(
            reader="live",
            torch_version=Term(torch_version()),
            python_version=PYTHON_VERSION,
            roots=roots,
            functions=tuple(functions),
            losses=tuple(dict.fromkeys(self.losses)),
        )
        return LiveReport(report, self.codes, self.entry_codes, self.managers)

    def _roots(self, target: Target) -> list[Name]:
        """The function that was asked for, and what torch calls it through where Dynamo has looked at that."""
        found = [self.key_of(target.code, target.disabled)]
        wrapper = None if self.open(target.code) else target.entered
        if wrapper is not None and (self.open(wrapper) or self.history.last(wrapper, set()) is not None):
            found.append(self.key_of(wrapper))
        through = found[1] if found[1:] else None
        self.ways[id(target.code)] = WayIn(through, is_wrapped=wrapper is not None, in_place=target.in_place)
        return found

    def key_of(self, code: CodeType, disabled: str | None = None) -> Name:
        """The key of a function; one that is met for the first time will be read."""
        if id(code) not in self.keys:
            key = unused(identifier(code, self.qualnames.get(id(original_of(code)))), self.codes)
            self.keys[id(code)], self.codes[key] = key, code
            self.pending.append((code, disabled))
        return self.keys[id(code)]

    def open(self, code: CodeType) -> list[OpenEntry]:
        """The entries of a function, opened once."""
        if id(code) not in self.opened:
            raw: list[RawEntry] = or_else([], self.losses, f"the entries of {code.co_name}", entries_of, code)
            self.opened[id(code)] = [
                or_else(OpenEntry(entry, (), ()), self.losses, "what an entry calls", open_entry, entry)
                for entry in raw
            ]
        return self.opened[id(code)]

    def function(self, code: CodeType, disabled: str | None) -> Function:
        """Read one function. The functions that it leads to are queued."""
        opened = self.open(code)
        self._keep(code, opened)
        strangers = self._strangers(code)
        facts = [or_else(EntryFacts(one.raw), self.losses, "the breaks of an entry", one.facts) for one in opened]
        compiles = known("its compiles", self._compiles, code, facts, strangers)
        status = known("its status", self._status, code, disabled, strangers)
        asked = self.asked.get(id(code))
        context = EntryContext(code, self.key_of, self._full_path, self.losses, self.scaffolding, asked)
        entries = tuple(read_entry(index, entry, context) for index, entry in enumerate(opened))
        resumes = tuple(map(self.key_of, self._resume_codes(code)))
        or_else(None, self.losses, f"functions that {code.co_name} leads to", self._follow, compiles)
        return Function(
            key=self.keys[id(code)],
            qualname=Name(self.qualnames.get(id(code), qualname(code))),
            place=first_place(code),
            status=Status(status, None, None) if isinstance(status, Unknown) else status,
            resume=self._resume(code) if is_resume_code(code) else None,
            entries=entries,
            compiles=compiles,
            resume_functions=resumes,
        )

    def _keep(self, code: CodeType, opened: list[OpenEntry]) -> None:
        """Keep what is live of a function's entries, and the names by which they call resume functions."""
        key = self.keys[id(code)]
        for index, entry in enumerate(opened):
            if isinstance(entry.raw.code, CodeType):
                self.entry_codes[key, index] = entry.raw.code
            if entry.raw.invalid is None:
                self.managers[key, index] = entry.raw.guard_manager
            for name, resume in entry.resumes:
                self.names.setdefault(id(resume), {})[name] = None

    def _resume_codes(self, code: CodeType) -> list[CodeType]:
        """The resume functions of a function: those that Dynamo made in this process, and those that it loaded."""
        made: list[CodeType] = or_else(
            [], self.losses, f"the resume functions of {code.co_name}", resume_codes_of, code
        )
        others = distinct([*self.seen, *self.codes.values()])
        return distinct([*made, *(other for other in others if is_loaded_resume(other, code))])

    def _resume(self, code: CodeType) -> ResumePoint:
        return read_resume(code, tuple(self.names.get(id(code), ())), self.originals)

    def _status(self, code: CodeType, disabled: str | None, strangers: set[int]) -> Status:
        raw = [entry.raw for entry in self.open(code)]
        attention = attention_to(code, raw, self.history, strangers)
        if raw:
            return status_with_entries(raw, attention)
        last = self.history.last(code, strangers)
        return status_without_entries(code, disabled, last, attention, self.ways.get(id(code), WayIn()))

    def _unread(self, code: CodeType, why: Unknown) -> Function:
        """A function of which nothing can be said."""
        key, name = self.keys[id(code)], Name(code.co_name)
        place = Place(FilePath(code.co_filename), code.co_firstlineno, name, why)
        resume = unread_resume(code, why) if code.co_name.startswith(NAME_PREFIX) else None
        return Function(key, name, place, Status(why, None, None), resume, (), why, ())

    def _strangers(self, code: CodeType) -> set[int]:
        """Frame numbers of other code with the same name and place, so that its compiles are not taken for ours."""
        same = [c for c in self.seen if c is not code and _key(c) == _key(code)]
        ids = (entry.raw.compile_id for other in same for entry in self.open(other))
        return {found.frame for found in ids if isinstance(found, CompileId)}

    def _follow(self, compiles: Maybe[tuple[Compile, ...]]) -> None:
        """A break inside a function that was being inlined: that function then runs as a frame of its own."""
        if isinstance(compiles, Unknown):
            return
        for compile_ in compiles:
            for found in () if isinstance(compile_.breaks, Unknown) else compile_.breaks:
                for place in () if isinstance(found.stack, Unknown) else found.stack[1:]:
                    self._follow_to(place)

    def _follow_to(self, place: Place) -> None:
        for code in self.seen:
            inside = code.co_filename == place.file and code.co_name == place.function
            if not inside or is_resume_code(code) or place.line not in lines_of(code):
                continue
            if self.open(code) or self.history.knows(*_key(code)):
                self.key_of(code)

    def _compiles(self, code: CodeType, facts: list[EntryFacts], strangers: set[int]) -> Maybe[tuple[Compile, ...]]:
        found = self.history.of(code, facts, strangers)
        return found if isinstance(found, Unknown) else tuple(with_full_paths(one, self._full_path) for one in found)

    def _full_path(self, tail: str) -> str:
        """The file that torch cut to this, preferably one of those that Dynamo looked at."""
        known = len(self.codes), tail  # asked for each guard; an answer holds until there is more code
        if known not in self._full_paths:
            files = (code.co_filename for code in (*self.seen, *self.codes.values()))
            self._full_paths[known] = full_path(tail, files)
        return self._full_paths[known]
