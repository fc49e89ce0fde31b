"""Functions that ran under Dynamo, and their cache entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from unjit.model.explained.code import Code
from unjit.model.explained.compiles import Compile, CompileId, entry_name
from unjit.model.explained.graphs import Graph
from unjit.model.explained.guards import Guards
from unjit.model.explained.relevance import Relevance
from unjit.model.places import Listing, Place
from unjit.model.plain.brief import Brief
from unjit.model.texts import Expression, Message, Name, Term
from unjit.model.unknown import Maybe, Unknown

EntryKind = Literal[
    "cache entry",
    "precompiled",  # loaded from a package of torch's; tried before all others
    "installed",  # put into the cache by unjit
    "ahead of time",  # made by aot_compile: what that returned runs it, and no other call
]
AHEAD: Final = "ahead of time"
State = Literal[
    "compiled",  # there are entries
    "never ran",  # not under torch.compile since the start or since torch._dynamo.reset()
    "skipped",  # Dynamo will not compile it
    "recompile limit",  # Dynamo gave up making entries
    "invalidated",  # entries existed
    "failed",  # a compile raised
]


_WRAPPER: Final = "wrap_inline.<locals>.inner"  # Dynamo never begins at code of torch's, but for this one


@dataclass(frozen=True, slots=True)
class TakenOut:
    """A comprehension in which the graph broke: a function that Dynamo made of it, which runs as it was written."""

    name: Name  # as the code that calls it names it
    place: Place  # where the comprehension begins


@dataclass(frozen=True, slots=True, repr=False)
class Entry(Brief):
    """Code that Dynamo made from a function, and the guards under which it may run.

    What it calls is read from its code: where `code` is unknown, so is what would be in `graphs` and
    `resume_functions`, which are empty then.
    """

    index: int  # the order in which entries are tried, from 0
    kind: EntryKind
    compile_id: Maybe[CompileId]
    backend: Maybe[Term]
    invalid: Message | None  # why Dynamo no longer uses it
    hits: Maybe[int]
    guards: Maybe[Guards]
    code: Maybe[Code]
    graphs: tuple[Graph, ...]
    resume_functions: tuple[Name, ...]  # keys of functions of the same report, in the order in which they are named
    relevance: Relevance | None = None  # None: nothing was asked about that shares its code with others
    comprehensions: tuple[TakenOut, ...] = ()  # from Python 3.12 on: before, each is a function that the program has

    @property
    def name(self) -> str:
        """`entry 0/1`; of one that no compile is known for, `entry number 1`."""
        return entry_name(self.index, self.compile_id)


@dataclass(frozen=True, slots=True)
class StackValue:
    """A value that was on the stack where a function was left, and that its resume function gets as an argument."""

    argument: Name
    expression: Maybe[Expression]  # what the user's source computes it from


@dataclass(frozen=True, slots=True, repr=False)
class ResumePoint(Brief):
    """What makes a function a resume function: it begins in the middle of another."""

    of: Name  # the qualified name of the function that it continues
    global_names: tuple[Name, ...]  # how the code that calls it names it: __resume_at_14_2
    place: Maybe[Place]  # the line where it goes on
    source: Maybe[Listing]  # the whole function that it continues
    stack: Maybe[tuple[StackValue, ...]]
    locals: Maybe[tuple[Name, ...]]


@dataclass(frozen=True, slots=True)
class Status:
    """What Dynamo does with a function, and why if that is not to run its entries."""

    state: Maybe[State]
    detail: Message | None
    advice: Message | None  # what the user can do


@dataclass(frozen=True, slots=True, repr=False)
class Function(Brief):
    """One code object that Dynamo looked at."""

    key: Name  # a valid identifier, unique within its explanation
    qualname: Name
    place: Place  # its first line
    status: Status
    resume: ResumePoint | None  # None: not a resume function
    entries: tuple[Entry, ...]  # in the order in which they are tried
    compiles: Maybe[tuple[Compile, ...]]  # in the order in which they happened
    resume_functions: tuple[Name, ...] = ()  # keys of all that belong to this function, also of entries that are gone

    @property
    def begins(self) -> Place:
        """Its first line; of a resume function the line where it goes on, as far as that is known."""
        resumes = self.resume.place if self.resume is not None else None
        return self.place if resumes is None or isinstance(resumes, Unknown) else resumes

    @property
    def is_torchs_wrapper(self) -> bool:
        """Whether it is torch's own function around modules of torch, partials and callable objects."""
        in_its_file = self.place.file.endswith("/_dynamo/external_utils.py")  # Python 3.10 keeps its bare name alone
        return self.qualname == _WRAPPER or (in_its_file and self.qualname == _WRAPPER.rpartition(".")[2])

    def compile_of(self, entry: Entry) -> Compile | None:
        """The compile that made `entry`, if it is known."""
        if not isinstance(self.compiles, tuple):
            return None
        return next((c for c in self.compiles if c.compile_id == entry.compile_id), None)
