"""Several ranks of one job, side by side: what they made differently, and where their collectives diverge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from unjit.model.places import Place
from unjit.model.plain.serialise import plain_dict
from unjit.model.texts import Expression, Generated, Message, Name, Term
from unjit.model.unknown import Maybe

Grade = Literal[
    "numbers",  # the same but for sizes, or another number that each rank has of its own
    "other",
]
Matter = Literal["compiles", "breaks", "recompiles", "graphs", "guards", "kernels", "code"]

NAMESPACES: Final = (  # of torch's operators that talk to other ranks
    "_c10d_functional",
    "_c10d_functional_autograd",
    "c10d_functional",
    "c10d",
    "symm_mem",
    "_dtensor",
)


@dataclass(frozen=True, slots=True)
class Rank:
    """One rank's capture, in numbers."""

    rank: int
    folder: Term  # of its capture, from the top of the directory
    finished: bool  # False: it ended without a word
    functions: int
    compiles: int
    breaks: int
    recompiles: int
    collectives: int  # in its graphs, each graph once
    runs: Maybe[int]  # of compiled code
    seconds: Maybe[float]  # of compiling


@dataclass(frozen=True, slots=True)
class Side:
    """What some of the ranks have in common, where not all have the same. None: they have no such thing."""

    ranks: tuple[int, ...]
    text: Generated | None


@dataclass(frozen=True, slots=True)
class RankDifference:
    """Something in which ranks differ, of one function or of one compile of it."""

    matter: Matter
    function: Name  # its key on the first of the ranks that have it
    place: Maybe[Place]  # where the function is
    number: int | None  # of the compile, from 0; None: the function as a whole
    name: Term  # of the text that differs: captured, guards, …
    grade: Grade
    sides: tuple[Side, ...]  # the most ranks first
    follows: tuple[Term, ...]  # texts that are made of this one and differ too


@dataclass(frozen=True, slots=True)
class Collective:
    """A call in a graph in which several ranks take part."""

    op: Term  # all_reduce
    detail: Term  # its arguments that are neither tensors nor the group: 'sum'
    tensor: Maybe[Expression]  # dtype and shape of what it is given: f32[4, 8]
    group: Term  # by its name
    ranks: Maybe[tuple[int, ...]]  # of the group
    place: Maybe[Place]  # the line of the user's program
    path: Term  # of the graph's file, in the folder of the rank
    line: int  # in that file


@dataclass(frozen=True, slots=True)
class PartingSide:
    """What some ranks do where the ranks of a group part. None: they issue no more."""

    ranks: tuple[int, ...]
    collective: Collective | None


@dataclass(frozen=True, slots=True)
class Parting:
    """The first place at which the ranks of a group do not issue the same collectives."""

    group: tuple[int, ...]  # the ranks that should agree
    graphs: Term  # which graphs: "forward" or "backward"
    position: int  # how many collectives they have in common before
    before: Collective | None  # the last of these
    sides: tuple[PartingSide, ...]


@dataclass(frozen=True, slots=True)
class Ranks:
    """All ranks that wrote into one directory."""

    size: Maybe[int]  # how many ranks there were
    ranks: tuple[Rank, ...]
    missing: Maybe[tuple[int, ...]]  # ranks that left nothing
    others: tuple[Term, ...]  # folders of processes that are no ranks, and of earlier starts of ranks
    same: tuple[Term, ...]  # matters in which all ranks are the same
    differences: tuple[RankDifference, ...]
    partings: tuple[Parting, ...]
    unknown: tuple[Message, ...]  # what could not be compared, and why
    losses: tuple[Message, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries, lists, strings and numbers."""
        return plain_dict(self)
