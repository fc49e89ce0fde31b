"""What happened when Dynamo compiled: breaks, recompiles, failures."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from unjit.model.explained.guards import FailedGuard
from unjit.model.places import Place
from unjit.model.plain.brief import Brief
from unjit.model.texts import FilePath, Message, Name, Term
from unjit.model.unknown import Maybe, Unknown

Outcome = Literal["compiled", "skipped", "failed", "running"]


@dataclass(frozen=True, slots=True)
class CompileId:
    """Dynamo's number for a compile: that of the frame, and that of the compile within it, from 0. Prints as `0/1`."""

    frame: int
    compile: int
    autograd: int | None = None  # the compiled autograd graph that caused it
    resets: int = 0  # torch._dynamo.reset() since then, after each of which Dynamo counts from 0/0 again

    def __str__(self) -> str:
        prefix = "" if self.autograd is None else f"!{self.autograd}/"
        suffix = f" ({self.resets} reset{'s' * (self.resets > 1)} ago)" if self.resets else ""
        return f"{prefix}{self.frame}/{self.compile}{suffix}"


def entry_name(index: int, compile_id: Maybe[CompileId]) -> str:
    """What a person calls a cache entry: by its compile, as torch's logs do, or else by when it is tried."""
    return f"entry number {index + 1}" if isinstance(compile_id, Unknown) else f"entry {compile_id}"


def hits_limit(text: str) -> bool:
    """Whether a failure says that Dynamo makes no more entries of a function; the last word is torch 2.6's."""
    return any(name in text.lower() for name in ("recompile limit", "recompilelimit", "cache_size_limit"))


_FOR_MANY = re.compile(
    r"This graph break (?:is fundamental|may be difficult|may have been caused)|It may be possible to write Dynamo"
    r"|This is likely to be a Dynamo bug|Your code may result in an error when running in eager"
    r"|Please (?:report|file|open) an issue|If it is a Python builtin, please file an issue"
)
_OF_A_SKIPPED_FUNCTION = "` should not be traced"  # as torch explains a break at a function of a file that it skips
WHILE_HANDLING = "; while handling it: "  # in the reason of a break, before that of a second one, at which Dynamo stops


@dataclass(frozen=True, slots=True, repr=False)
class GraphBreak(Brief):
    """A place where Dynamo could not keep the graph in one piece."""

    reason: Message
    place: Maybe[Place]
    stack: Maybe[tuple[Place, ...]]  # callers first, ends at `place`
    explanation: Message | None = field(compare=False)  # at one place and with the same hints it is the same break
    hints: tuple[Message, ...]
    link: FilePath | None  # torch's page about this break
    skips_rest: bool = False  # Dynamo made nothing of what the function does after it, which runs as it was written
    subject: Message | None = field(default=None, compare=False)  # what it is about: an exception, or what was called

    @property
    def kind(self) -> str:
        """Torch's reason alone, also where Dynamo stopped at a second break, as it does in a loop."""
        return self.reason.partition(WHILE_HANDLING)[0]

    @property
    def hint(self) -> Message | None:
        """The first of torch's hints that is about this break, before sentences that it has for many; None without."""
        return next((hint for hint in self.hints if not _FOR_MANY.match(hint)), next(iter(self.hints), None))

    @property
    def caller(self) -> Place | None:
        """The program's line that led to a break in a library; None for others, and where it is not known."""
        if isinstance(self.place, Unknown) or isinstance(self.stack, Unknown):
            return None
        return _caller(self.place, self.stack)

    @property
    def called_at(self) -> Place | None:
        """The line at which the function calls another of Python's, as written, in which or for which it broke."""
        if isinstance(self.stack, Unknown) or not self.stack:
            return None
        is_python = len(self.stack) > 1 or _OF_A_SKIPPED_FUNCTION in (self.explanation or "")
        return self.stack[0] if is_python else None


def _caller(place: Place, stack: tuple[Place, ...]) -> Place | None:
    if place.is_of_the_program:
        return None
    return next((above for above in reversed(stack) if above.is_of_the_program), None)


@dataclass(frozen=True, slots=True)
class CudaGraphSkip:
    """Why torch runs a graph without CUDA graphs, though the program asked for them."""

    reason: Message  # in torch's words: cpu device (primals_1)
    place: Maybe[Place]


@dataclass(frozen=True, slots=True, repr=False)
class Compile(Brief):
    """One compile of a function, whether or not an entry is left of it."""

    compile_id: Maybe[CompileId]
    outcome: Maybe[Outcome]
    breaks: Maybe[tuple[GraphBreak, ...]]
    failed_guards: Maybe[tuple[FailedGuard, ...]]  # why the entries that existed did not fit; empty for a first compile
    error: Maybe[Message] | None  # None: there was none
    restarts: Maybe[tuple[Message, ...]]  # why Dynamo began anew within this compile
    seconds: Maybe[float]
    backend: Maybe[Term]
    wraps: Maybe[tuple[Name, ...]] = ()  # of the code of a decorator's wrapper: the functions that it was made for
    failed_at: tuple[Place, ...] = ()  # where an error ended it, callers first, as far as torch keeps the lines
    cuda_graph_skips: tuple[CudaGraphSkip, ...] = ()  # of its forward and of its backward graph, the last one of each

    @property
    def is_refused(self) -> bool:
        """Whether Dynamo had made as many entries as it may, and the call ran uncompiled, or raised."""
        return isinstance(self.error, str) and hits_limit(self.error)

    @property
    def failed_caller(self) -> Place | None:
        """The program's line that led to an error in a library; None for others, and where it is not known."""
        return _caller(self.failed_at[-1], self.failed_at) if self.failed_at else None
