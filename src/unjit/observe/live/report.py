"""The reader of live state: what Dynamo has for some functions at this moment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

from unjit.bytecode import Definition, distinct
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
    known_or,
)
from unjit.model.explained.functions import AHEAD
from unjit.observe.entries.entry import EntryContext, OpenEntries, OpenEntry, read_entry
from unjit.observe.faults import known, or_else
from unjit.observe.functions.resume_functions import Originals, read_resume, unread_resume
from unjit.observe.functions.sources import first_place, lines_of
from unjit.observe.functions.stack_words import in_words_of_the_program
from unjit.observe.live.reached import Reached
from unjit.observe.messages.full_paths import full_path, with_full_paths
from unjit.observe.status.history import EntryFacts, History
from unjit.observe.status.reasons import COMPILED_AHEAD, WayIn, status_with_entries, status_without_entries
from unjit.observe.status.still_looked_at import Attention, attention_to
from unjit.observe.targets.resolving import Target
from unjit.observe.targets.settled_locals import Asked, asked_by_code
from unjit.torch_private.cache import history as torch_history
from unjit.torch_private.cache.backends import only_compared
from unjit.torch_private.cache.entries import has_entries
from unjit.torch_private.cache.history import RawCompile
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
        return _Reader(list(targets), asked_by_code(asked), scaffolding=scaffolding).read()


def compiled_targets() -> Maybe[list[Target]]:
    """Every function that Dynamo compiled, or failed to compile, since the start or a reset.

    Resume functions are left out, and what a comparison of unjit's alone compiled.
    """
    codes = known("what Dynamo looked at", torch_history.seen_codes)
    if isinstance(codes, Unknown):
        return codes
    compiles = known_or(known("the last compiles", torch_history.recent_compiles), [])
    tried = {compiled.definition for compiled in compiles}
    return [Target(code, None) for code in codes if not is_resume_code(code) and _may_be_compiled(code, tried)]


def _may_be_compiled(code: CodeType, tried: set[Definition | None]) -> bool:
    if known("its entries", only_compared, code) is True:
        return False
    return Definition.of(code) in tried or known("its entries", has_entries, code) is not False


class _Reader:
    """One reading. Functions are found breadth first, so that those asked for come first."""

    def __init__(self, targets: list[Target], asked: dict[int, Asked], *, scaffolding: bool) -> None:
        self.targets = targets
        self.asked = asked  # by the identity of code objects
        self.scaffolding = scaffolding
        self.losses: list[Message] = []
        self.seen: list[CodeType] = known_or(known("what Dynamo looked at", torch_history.seen_codes), [])
        self.history = History.now(self.losses)
        self.entries = OpenEntries(self.losses)
        self.reached = Reached(targets)
        self.originals = Originals()
        self.ways: dict[int, WayIn] = {}  # to targets, by their code
        self.resume_names: dict[int, dict[str, None]] = {}  # globals that name a resume function, each once
        self._full_paths: dict[tuple[int, str], str] = {}

    def read(self) -> LiveReport:
        roots = tuple(dict.fromkeys(key for target in self.targets for key in self._roots(target)))
        for part in (part for target in self.targets for part in target.parts):
            if self.entries.of(part):
                self.reached.key_of(part)
        functions = []
        for code in self.reached.each():
            found = known("it", self.function, code)
            functions.append(self._unread(code, found) if isinstance(found, Unknown) else found)
        report = Report(
            reader="live",
            torch_version=Term(torch_version()),
            python_version=PYTHON_VERSION,
            roots=roots,
            functions=tuple(functions),
            losses=tuple(dict.fromkeys(self.losses)),
        )
        return self._live(report)

    def _live(self, report: Report) -> LiveReport:
        """The report, with what is live of its functions and their entries."""
        codes = self.reached.codes
        raw = {(key, index): one.raw for key in codes for index, one in enumerate(self.entries.of(codes[key]))}
        return LiveReport(
            report,
            codes,
            {at: entry.code for at, entry in raw.items() if isinstance(entry.code, CodeType)},
            {at: entry.guard_manager for at, entry in raw.items() if entry.invalid is None},
        )

    def _roots(self, target: Target) -> Iterator[Name]:
        """The function that was asked for, and what torch calls it through where Dynamo has looked at that."""
        yield self.reached.key_of(target.code)
        wrapper = None if self.entries.of(target.code) else target.entered
        through = None
        if wrapper is not None and (self.entries.of(wrapper) or self.history.last(wrapper) is not None):
            yield (through := self.reached.key_of(wrapper))
        is_wrapped = wrapper is not None
        in_place = target.in_place and not is_wrapped
        way = WayIn(through, is_wrapped=is_wrapped, in_place=in_place, apart=target.apart)
        self.ways[id(target.code)] = self.ways.get(id(target.code), WayIn()).beside(way)

    def function(self, code: CodeType) -> Function:
        """Read one function. The functions that it leads to will be read."""
        opened = self.entries.of(code)
        self._note_resume_names(opened)
        history = self.history.without(self._frames_of_others(code))
        facts = [or_else(EntryFacts(one.raw), self.losses, "the breaks of an entry", one.facts) for one in opened]
        cached = [one.raw for one in opened if one.raw.kind != AHEAD]
        attention = known("whether Dynamo looks at it", attention_to, code, cached, history)
        given_up_at = None if isinstance(attention, Unknown) else attention.given_up_at
        compiles = known("its compiles", self._compiles, code, facts, history, given_up_at)
        status = known("its status", self._status, code, history, attention)
        asked = self.asked.get(id(code))
        context = EntryContext(code, self.reached.key_of, self._full_path, self.losses, self.scaffolding, asked)
        entries = tuple(read_entry(index, entry, context) for index, entry in enumerate(opened))
        resumes = tuple(map(self.reached.key_of, self._resume_codes(code)))
        or_else(None, self.losses, f"functions that {code.co_name} leads to", self._follow, compiles)
        found = Function(
            key=self.reached.key_of(code),
            qualname=Name(self.reached.qualname(code)),
            place=first_place(code),
            status=Status(status, None, None) if isinstance(status, Unknown) else status,
            resume=self._resume(code) if is_resume_code(code) else None,
            entries=entries,
            compiles=compiles,
            resume_functions=resumes,
        )
        return in_words_of_the_program(found)

    def _note_resume_names(self, opened: list[OpenEntry]) -> None:
        """The names by which a function's entries call resume functions."""
        for name, resume in (one for entry in opened for one in entry.resumes):
            self.resume_names.setdefault(id(resume), {})[name] = None

    def _resume_codes(self, code: CodeType) -> list[CodeType]:
        """The resume functions of a function: those that Dynamo made in this process, and those that it loaded."""
        made: list[CodeType] = or_else(
            [], self.losses, f"the resume functions of {code.co_name}", resume_codes_of, code
        )
        others = distinct([*self.seen, *self.reached.codes.values()])
        return distinct([*made, *(other for other in others if is_loaded_resume(other, code))])

    def _resume(self, code: CodeType) -> ResumePoint:
        return read_resume(code, tuple(self.resume_names.get(id(code), ())), self.originals)

    def _status(self, code: CodeType, history: History, attention: Maybe[Attention]) -> Status:
        if isinstance(attention, Unknown):
            return Status(attention, None, None)
        raw = [entry.raw for entry in self.entries.of(code)]
        cached = [entry for entry in raw if entry.kind != AHEAD]
        if cached:
            return status_with_entries(code, cached, attention)
        if raw:
            return COMPILED_AHEAD
        disabled, last = self.reached.why_disabled(code), history.last(code)
        return status_without_entries(code, disabled, last, attention, self.ways.get(id(code), WayIn()))

    def _unread(self, code: CodeType, why: Unknown) -> Function:
        """A function of which nothing can be said."""
        key, name = self.reached.key_of(code), Name(code.co_name)
        place = Place(FilePath(code.co_filename), code.co_firstlineno, name, why)
        resume = unread_resume(code, why) if code.co_name.startswith(NAME_PREFIX) else None
        return Function(key, name, place, Status(why, None, None), resume, (), why, ())

    def _frames_of_others(self, code: CodeType) -> set[int]:
        """The frame numbers of other code with this definition, so that its compiles are not taken for ours."""
        same = [c for c in self.seen if c is not code and Definition.of(c) == Definition.of(code)]
        ids = (entry.raw.compile_id for other in same for entry in self.entries.of(other))
        return {found.frame for found in ids if isinstance(found, CompileId)}

    def _follow(self, compiles: Maybe[tuple[Compile, ...]]) -> None:
        """A break inside a function that was being inlined: that function then runs as a frame of its own."""
        if isinstance(compiles, Unknown):
            return
        for compile_ in compiles:
            for found in known_or(compile_.breaks, ()):
                for place in () if isinstance(found.stack, Unknown) else found.stack[1:]:
                    self._follow_to(place)

    def _follow_to(self, place: Place) -> None:
        for code in self.seen:
            inside = code.co_filename == place.file and code.co_name == place.function
            if not inside or is_resume_code(code) or place.line not in lines_of(code):
                continue
            if self.entries.of(code) or self.history.knows(Definition.of(code)):
                self.reached.key_of(code)

    def _compiles(
        self, code: CodeType, facts: list[EntryFacts], history: History, given_up_at: RawCompile | None
    ) -> Maybe[tuple[Compile, ...]]:
        found = history.of(code, facts, given_up_at)
        return found if isinstance(found, Unknown) else tuple(with_full_paths(one, self._full_path) for one in found)

    def _full_path(self, tail: str) -> str:
        """The file that torch cut to this, preferably one of those that Dynamo looked at."""
        codes = self.reached.codes
        known = len(codes), tail  # asked for each guard; an answer holds until there is more code
        if known not in self._full_paths:
            self._full_paths[known] = full_path(tail, (code.co_filename for code in (*self.seen, *codes.values())))
        return self._full_paths[known]
