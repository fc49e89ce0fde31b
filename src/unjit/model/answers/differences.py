"""Two cache entries, or two captures, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from unjit.model.plain.serialise import SCHEMA_VERSION, plain_dict, to_plain
from unjit.model.texts import Constant, Expression, FilePath, Generated, Message, Name, Term
from unjit.model.unknown import Maybe


@dataclass(frozen=True, slots=True)
class GuardDifference:
    """What two entries ask of one value, where that differs. None: that entry asks nothing of this kind."""

    kind: Term
    subject: Maybe[Expression]
    first: Maybe[Constant] | None  # what the first entry expects
    second: Maybe[Constant] | None


@dataclass(frozen=True, slots=True)
class TextDifference:
    """A graph or code of two entries. None: that entry has none at this place."""

    name: Name
    first: Maybe[Generated] | None
    second: Maybe[Generated] | None

    @property
    def is_same(self) -> bool:
        """Whether there is no difference; two unknown texts are not known to be the same."""
        return isinstance(self.first, str) and self.first == self.second


@dataclass(frozen=True, slots=True)
class EntryDifference:
    """Guards, graphs and code of two entries. Numbers in names of graphs are counted from 0 in each entry."""

    first: Name
    second: Name
    same_guards: int  # how many guards both have
    guards: tuple[GuardDifference, ...]
    graphs: tuple[TextDifference, ...]
    code: TextDifference

    def to_dict(self) -> dict[str, Any]:
        """The differences in plain dictionaries, lists, strings and numbers."""
        return plain_dict(self)


ChangeTopic = Literal[
    "functions", "compiles", "breaks", "recompiles", "entries", "guards", "code", "graphs", "kernels", "memory"
]
TOPICS_OF_CHANGE: tuple[ChangeTopic, ...] = ChangeTopic.__args__  # type: ignore[attr-defined]  # the members


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is not the same in two captures. None: that capture has no such thing."""

    topic: ChangeTopic
    path: Term  # as `unjit show --select` has it; where the two are named otherwise, as in the first
    first: Maybe[Generated] | None
    second: Maybe[Generated] | None


@dataclass(frozen=True, slots=True)
class TimeDifference:
    """How long a compile took, in seconds."""

    path: Term
    first: Maybe[float] | None
    second: Maybe[float] | None


@dataclass(frozen=True, slots=True)
class CaptureDifference:
    """How two captures differ. Only `changes` count as a difference; `notes` and `times` are for the reader."""

    first: FilePath
    second: FilePath
    changes: tuple[Change, ...]
    times: tuple[TimeDifference, ...]
    notes: tuple[Message, ...]  # what was not compared, and what else to know of the two

    @property
    def same(self) -> bool:
        """Whether nothing that counts is different, as far as the two are known."""
        return not self.changes

    def of_topic(self, topic: ChangeTopic) -> tuple[Change, ...]:
        """The changes of one kind of thing."""
        return tuple(one for one in self.changes if one.topic == topic)

    def to_dict(self) -> dict[str, Any]:
        """The differences in plain dictionaries, lists, strings and numbers, under a schema version."""
        return {"schema": SCHEMA_VERSION, "same": self.same, **to_plain(self)}
