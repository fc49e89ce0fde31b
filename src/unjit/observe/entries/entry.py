"""One live cache entry to the model's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import CodeType
from typing import Any

from unjit.model import Code, Entry, Graph, Guards, Maybe, Message, Name, TakenOut, Term, Unknown
from unjit.model.words.sources import as_written
from unjit.observe.entries.code import read_code
from unjit.observe.entries.graphs import called_graphs, read_graph
from unjit.observe.faults import known, or_else
from unjit.observe.functions.sources import place_at
from unjit.observe.guards.reading import FindFile, leaves_of, read_guards
from unjit.observe.listening.counting import hits_of
from unjit.observe.status.history import EntryFacts
from unjit.observe.targets.settled_locals import Asked
from unjit.torch_private.cache.ahead_of_time import entries_ahead
from unjit.torch_private.cache.comprehensions import RawComprehension, named_comprehensions
from unjit.torch_private.cache.entries import RawEntry, entries_of
from unjit.torch_private.cache.history import break_of_graph
from unjit.torch_private.cache.resumes import GLOBAL_PREFIX, broke_at, named_resumes
from unjit.torch_private.guard_trees.guards import guards_of

_ASKED_BY_US = Unknown(Message("torch counts what unjit asks to see whether Dynamo still looks at the function"))
_DROPPED = Unknown(Message("Dynamo dropped the code when it invalidated the entry"))


@dataclass(frozen=True, slots=True)
class OpenEntry:
    """A live entry with its graphs and resume functions, before it becomes data."""

    raw: RawEntry
    graphs: tuple[tuple[str, Any], ...]  # torch's graph modules by name
    resumes: tuple[tuple[str, CodeType], ...]  # by the global that names them
    comprehensions: tuple[RawComprehension, ...] = ()

    def facts(self) -> EntryFacts:
        """What it tells about the compile that made it."""
        ends = (break_of_graph(module) for _, module in self.graphs if not isinstance(module, Unknown))
        lines = (broke_at(code) for _, code in self.resumes)
        return EntryFacts(
            self.raw,
            tuple(end for end in ends if end is not None),
            frozenset(line for line in lines if line is not None),
        )


def open_entry(raw: RawEntry) -> OpenEntry:
    """Find the graphs and resume functions of an entry."""
    if not isinstance(raw.code, CodeType):
        return OpenEntry(raw, (), ())
    resumes = () if isinstance(raw.globals, Unknown) else tuple(named_resumes(raw.code, raw.globals))
    graphs = tuple(called_graphs(raw.code, raw.globals))
    return OpenEntry(raw, graphs, resumes, tuple(named_comprehensions(raw.code)))


class OpenEntries:
    """The entries of functions, opened once each. What cannot be read of them is a loss."""

    def __init__(self, losses: list[Message]) -> None:
        self._losses = losses
        self._opened: dict[int, list[OpenEntry]] = {}  # by the identity of code objects, which the caller keeps alive

    def of(self, code: CodeType) -> list[OpenEntry]:
        """Those of the function with this code, in the order in which Dynamo tries them."""
        if id(code) not in self._opened:
            name = code.co_name
            raw: list[RawEntry] = or_else([], self._losses, f"the entries of {name}", entries_of, code)
            raw += or_else([], self._losses, f"what aot_compile made of {name}", entries_ahead, code)
            self._opened[id(code)] = [
                or_else(OpenEntry(entry, (), ()), self._losses, "what an entry calls", open_entry, entry)
                for entry in raw
            ]
        return self._opened[id(code)]


@dataclass(frozen=True, slots=True)
class EntryContext:
    """What an entry is read against: the function that has it, and how the reader is to read."""

    owner: CodeType  # of the function that has the entry
    key_of: Callable[[CodeType], Name]
    full_path: FindFile
    losses: list[Message]  # what could not be read is added here
    scaffolding: bool  # whether code is shown with what only serves torch's profiler
    asked: Asked | None = None  # what the function was asked about by, where that tells whose an entry is


def read_entry(index: int, entry: OpenEntry, context: EntryContext) -> Entry:
    """The entry as data."""
    context.losses.extend(_lost_resumes(entry))
    code = _DROPPED if entry.raw.code is None else entry.raw.code
    guards, leaves = _guards(entry.raw, context)
    graphs: tuple[Graph, ...] = tuple(_graph(name, entry.raw.backend, module) for name, module in entry.graphs)
    return Entry(
        index=index,
        kind=entry.raw.kind,
        compile_id=entry.raw.compile_id,
        backend=entry.raw.backend,
        invalid=None if entry.raw.invalid is None else Message(as_written(entry.raw.invalid)),
        hits=hits_of(code) if isinstance(code, CodeType) else code,
        guards=guards,
        code=known("its code", _code, code, context) if isinstance(code, CodeType) else code,
        graphs=graphs,
        resume_functions=tuple(dict.fromkeys(context.key_of(code) for _, code in entry.resumes)),
        relevance=None if context.asked is None else context.asked.relevance(entry.raw, guards, leaves),
        comprehensions=tuple(_taken_out(one, context) for one in entry.comprehensions),
    )


def _taken_out(one: RawComprehension, context: EntryContext) -> TakenOut:
    return TakenOut(Name(one.name), place_at(context.owner.co_filename, one.line, context.owner.co_name))


def _code(code: CodeType, context: EntryContext) -> Code:
    return read_code(code, scaffolding=context.scaffolding)


def _lost_resumes(entry: OpenEntry) -> Iterator[Message]:
    """Resume functions that the code names and that cannot be found."""
    code = entry.raw.code
    found = {name for name, _ in entry.resumes}
    for name in code.co_names if isinstance(code, CodeType) else ():
        if name.startswith(GLOBAL_PREFIX) and name not in found:
            why = entry.raw.globals.reason if isinstance(entry.raw.globals, Unknown) else "it is not among the globals"
            yield Message(f"{name} of entry {entry.raw.compile_id}: {why}")


def _graph(name: str, backend: Maybe[Term], module: Any) -> Graph:
    """One graph; a fault in reading it is why nothing is known of it."""
    found = known("it", read_graph, name, backend, module)
    return read_graph(name, backend, found) if isinstance(found, Unknown) else found


def _guards(raw: RawEntry, context: EntryContext) -> tuple[Maybe[Guards], list[Any]]:
    """The guards, and for each of them torch's own object or None."""
    if raw.invalid is not None:
        return Unknown(Message("they were dropped when the entry was invalidated")), []
    found = known("its guards", guards_of, raw.guard_manager)
    if isinstance(found, Unknown):
        return found, []
    context.losses.extend(found.losses)
    if raw.live_backend is None:  # so that Dynamo asks its guards, whoever calls
        found = replace(found, root=replace(found.root, failures=_ASKED_BY_US))
    return known("its guards", read_guards, found, context.owner, context.full_path), leaves_of(found)
