"""What one rank knows of its job, and who in it issued what torch's own code did."""

from __future__ import annotations

from dataclasses import dataclass

from unjit.model.places import Place
from unjit.model.texts import Constant, Term
from unjit.model.unknown import Maybe


@dataclass(frozen=True, slots=True)
class ProcessGroup:
    """Ranks that talk to each other, as one of them knows it."""

    name: Term  # by which graphs name it
    description: Constant  # default_pg, mesh_tp, what the program calls it
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Membership:
    """What a rank knows of its job."""

    rank: int
    size: int  # how many ranks there are
    groups: Maybe[tuple[ProcessGroup, ...]]  # that this rank is in


@dataclass(frozen=True, slots=True)
class Caller:
    """A line of torch's own that a graph names, and the lines of the program that led there."""

    torch: Place
    program: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Callers:
    """All of one graph."""

    lines: tuple[Caller, ...]
