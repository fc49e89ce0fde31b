"""What of a capture is worth acting on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from unjit.model.places import Place
from unjit.model.texts import Message, Name, Term
from unjit.model.unknown import Maybe

ConcernKind = Literal[
    "failed",  # a compile raised
    "recompile limit",  # Dynamo gave up making entries: the function runs uncompiled
    "not compiled",  # the function runs uncompiled
    "break in a loop",  # the loop runs uncompiled
    "graph break",
    "recompile",
    "no CUDA graph",  # though the program asked for CUDA graphs
    "small graph",  # a graph of at most one operation
    "not recovered",  # generated code whose source could not be proved
]


@dataclass(frozen=True, slots=True)
class Concern:
    """One thing that went otherwise than a user of torch.compile hopes, wherever it was met."""

    kind: ConcernKind
    what: Message
    function: Name  # the key of the function in which it was met first
    place: Maybe[Place]  # the line of the user's program
    paths: tuple[Term, ...]  # folders of the compiles that met it, or of the function, from the top of the directory
    advice: Message | None
    callers: tuple[Place, ...] = ()  # of what is in a library, the lines of the program that led there
