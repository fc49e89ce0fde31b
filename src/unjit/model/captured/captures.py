"""What a capture holds beyond a report: everything that torch made on the way from a function to what runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from unjit.model.answers.costs import CheckTimes
from unjit.model.explained.compiles import Compile, CompileId
from unjit.model.explained.report import Report
from unjit.model.places import Listing, Place, StackFrame
from unjit.model.plain.brief import Brief
from unjit.model.texts import Expression, FilePath, Generated, Host, Message, Name, Size, Term
from unjit.model.unknown import Maybe, Unknown

CacheResult = Literal["hit", "miss", "bypass"]
IN_FILE: Final = Unknown(Message("it is in its file"))  # the text of an artifact that has been written
CACHED: Final = "cached_"  # begins the names of artifacts that torch took from its cache, filled by another compile


@dataclass(frozen=True, slots=True)
class ModuleCall:
    """A module of the program whose `forward` nodes of a graph came from."""

    path: Expression  # L['self'].transformer.h.0
    kind: Name  # its class
    within: int | None  # the module that called it, as an index into the same tuple
    nodes: tuple[Name, ...]  # those that came from it and from no module that it called


@dataclass(frozen=True, slots=True)
class CallLine:
    """A line of the program on the way to nodes of a graph: it made them, or called what did."""

    place: Place
    within: int | None  # the line whose call led to this one, as an index into the same tuple
    nodes: tuple[Name, ...]  # those that this very line made


@dataclass(frozen=True, slots=True)
class Decomposition:
    """An operation that AOTAutograd took apart: the backend does not want it, and gets others in its place."""

    operation: Name  # aten.native_layer_norm.default
    nodes: tuple[Name, ...]  # those that stand in its place, in the order of the graph


@dataclass(frozen=True, slots=True, repr=False)
class Artifact(Brief):
    """One text that torch or a backend made during a compile."""

    name: Term  # what it is: captured, forward, forward_output_code; with the suffix, the name of its file
    suffix: Term  # .py, .txt or .json
    origin: Term  # what torch's trace calls it
    attempt: int  # Dynamo may begin a compile anew; the last attempt is the one that counts
    path: Term  # of its file, from the top of the directory
    text: Maybe[Generated]  # Unknown where it was left out
    modules: Maybe[tuple[ModuleCall, ...]] | None  # outer ones before inner ones; None: it is no graph
    calls: Maybe[tuple[CallLine, ...]] | None  # where lines called others: callers before them; None: it is no graph
    decompositions: Maybe[tuple[Decomposition, ...]] | None  # None: it is no graph that AOTAutograd made


@dataclass(frozen=True, slots=True)
class Symbol:
    """A size, or another number, that a graph leaves open."""

    name: Term  # s77
    source: Maybe[Expression]  # the user's value that it stands for
    example: Maybe[Expression]  # what it was in the call that caused the compile
    range: Maybe[Expression]  # what it may be, as it was made: what was found out later is among the shape guards
    place: Maybe[Place]  # the line of the user's program that made it open


@dataclass(frozen=True, slots=True)
class ShapeGuard:
    """A condition on symbols that the compile took for granted and that a guard checks."""

    expression: Expression
    place: Maybe[Place]  # the line of the user's program that needs it


@dataclass(frozen=True, slots=True)
class InputTensor:
    """A tensor that the function was called with when it was compiled."""

    source: Expression  # L['x']
    shape: tuple[Size, ...]
    stride: Maybe[tuple[Size, ...]]
    dtype: Term
    device: Term
    requires_grad: bool


@dataclass(frozen=True, slots=True, repr=False)
class Kernel(Brief):
    """A kernel that the code of a backend calls, and what it came from."""

    name: Name
    half: Term  # forward, backward or inference; forward_1 of the second graph in one compile
    language: Term  # C++, Triton, …; "library" for one that is called and not generated
    source: Maybe[Generated]
    operations: Maybe[tuple[Name, ...]]  # nodes of the post-grad graph
    captured: Maybe[tuple[Name, ...]]  # nodes of the captured graph
    places: Maybe[tuple[Place, ...]]  # lines of the user's program


@dataclass(frozen=True, slots=True)
class KeptMemory:
    """Memory that a forward graph keeps for its backward."""

    node: Name  # of the forward graph, which makes what lies in it; views of that may be kept in its place
    kind: Term  # f32[4, 12]
    size: Maybe[int]  # in bytes; of open sizes, for the call that was compiled
    place: Maybe[Place]


@dataclass(frozen=True, slots=True)
class KeptForBackward:
    """What a forward graph keeps for its backward, as the texts of both have it."""

    half: Term  # the backward graph: backward, or backward_1 of the second in one compile
    memory: tuple[KeptMemory, ...]  # the largest first
    inputs: int  # of the forward graph that the backward takes, too, as parameters: these are there anyway


@dataclass(frozen=True, slots=True)
class CacheLookup:
    """What one of torch's caches answered."""

    cache: Term  # "AOTAutograd" or "FX graph"
    direction: Term | None  # forward, backward, inference, forward_1, …; None for a cache of both
    result: CacheResult


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of time that torch gives a name. Times are seconds since the capture began."""

    name: Term
    start: float
    seconds: float
    depth: int  # phases of a compile lie within each other


@dataclass(frozen=True, slots=True, repr=False)
class CapturedCompile(Brief):
    """One compile of one function, with all that it made."""

    function: Name  # the key of the function in the report
    number: int  # among the compiles of this function in the capture, from 0
    path: Term  # of its folder, from the top of the directory
    entered: Maybe[Place]  # the line of the user's program whose call led into compiled code
    stack: Maybe[tuple[StackFrame, ...]]  # all calls that led there, callers first; the last one called the function
    compile: Compile
    artifacts: tuple[Artifact, ...]  # in the order in which torch made them
    symbols: tuple[Symbol, ...]
    shape_guards: tuple[ShapeGuard, ...]
    inputs: tuple[InputTensor, ...]
    caches: tuple[CacheLookup, ...]
    kernels: tuple[Kernel, ...]
    kept: tuple[KeptForBackward, ...]  # one for each forward graph that has a backward

    def kernels_of(self, *, file: str, line: int) -> tuple[Kernel, ...]:
        """The kernels that came from a line of the user's program."""
        return tuple(
            kernel
            for kernel in self.kernels
            if not isinstance(kernel.places, Unknown)
            and any((place.file, place.line) == (file, line) for place in kernel.places)
        )

    def kernels_of_operation(self, node: str) -> tuple[Kernel, ...]:
        """The kernels that compute a node of a post-grad graph."""
        return tuple(
            kernel
            for kernel in self.kernels
            if not isinstance(kernel.operations, Unknown) and node in kernel.operations
        )

    def artifact(self, name: str) -> Artifact | None:
        """The artifact of the last attempt with this name."""
        found = [one for one in self.artifacts if one.name == name]
        return max(found, key=lambda one: one.attempt, default=None)


@dataclass(frozen=True, slots=True)
class CompileRun:
    """What differs from run to run of the same program, of one compile."""

    path: Term  # of the compile's folder
    compile_id: CompileId  # torch's number
    thread: Maybe[Host]
    seconds: Maybe[float]
    phases: tuple[Phase, ...]
    guards: Maybe[CheckTimes]  # what a check of the entry's guards took when they were made
    metrics: Generated  # torch's own, as JSON: {"forward": {…}, "backward": {…}}


@dataclass(frozen=True, slots=True)
class Abbreviation:
    """A word that stands in all files but run.json for a folder of the machine: <site-packages>.

    That is the one with torch. Where the program's packages lie in another, that one is <packages>.
    One that could not be found out, as the current folder when it has been removed, has no word in the files.
    """

    word: Term
    folder: Maybe[FilePath]


@dataclass(frozen=True, slots=True, repr=False)
class Run(Brief):
    """What differs from run to run of the same program."""

    process: Maybe[Host]
    command: Maybe[tuple[FilePath, ...]]
    folder: Maybe[FilePath]  # in which the program was started
    began: Maybe[Term]  # ISO 8601, UTC
    seconds: Maybe[float]
    folders: tuple[Abbreviation, ...]
    environment: Maybe[tuple[Host, ...]]  # NAME=value, of the variables that torch and its libraries read
    compiles: tuple[CompileRun, ...]
    raised: Message | None = None  # the error that ended the block or the program


@dataclass(frozen=True, slots=True, repr=False)
class Capture(Brief):
    """All of one process. `processes` names the folders of others that wrote into the same directory."""

    finished: bool  # False: the process ended without a word, and what it had come to is missing
    report: Report
    compiles: tuple[CapturedCompile, ...]
    left_out: tuple[Message, ...]  # kinds of records of torch's trace that are not kept, each with the reason
    run: Run | None  # None: the file is gone
    processes: tuple[Term, ...]
    sources: tuple[Listing, ...] = ()  # whole files of the user's program; those that could not be trusted are not here
    outside: tuple[Term, ...] = ()  # files, from the directory's top, of texts that belong to no compile of Dynamo's

    def by_function(self) -> dict[Name, list[CapturedCompile]]:
        """The compiles of each function that has some, by its key, for whoever looks up many."""
        found: dict[Name, list[CapturedCompile]] = {}
        for one in self.compiles:
            found.setdefault(one.function, []).append(one)
        return found
