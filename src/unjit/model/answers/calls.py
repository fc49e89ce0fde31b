"""What a call would do, and why the existing entries do not fit it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from unjit.model.explained.compiles import CompileId, entry_name
from unjit.model.explained.guards import FailedCondition
from unjit.model.places import Place
from unjit.model.plain.brief import Brief
from unjit.model.plain.serialise import plain_dict
from unjit.model.texts import Message, Name, Term
from unjit.model.unknown import Maybe

CallOutcome = Literal[
    "runs an entry",
    "compiles",
    "runs uncompiled",
    "raises",  # torch is told to raise rather than compile again
]


@dataclass(frozen=True, slots=True, repr=False)
class EntryAnswer(Brief):
    """One entry, asked about a call. `failed` has every guard that fails, not only the first that Dynamo meets.

    An entry that fits has some where Dynamo would skip them.
    """

    index: int
    compile_id: Maybe[CompileId]
    backend: Maybe[Term]
    fits: Maybe[bool]  # by Dynamo's own guards
    failed: tuple[FailedCondition, ...]
    barred: Maybe[Message] | None = None  # why Dynamo does not look at it for this call, or why that is not known

    @property
    def name(self) -> str:
        """`entry 0/1`; of one that no compile is known for, `entry number 1`."""
        return entry_name(self.index, self.compile_id)


@dataclass(frozen=True, slots=True, repr=False)
class CallAnswer(Brief):
    """What a call would do."""

    function: Name
    place: Place
    outcome: Maybe[CallOutcome]
    entry: int | None  # the index of the entry that would run
    detail: Message
    entries: tuple[EntryAnswer, ...]  # in the order in which they are tried
    advice: tuple[Message, ...]  # what to change so that an entry fits, or so that it compiles
    not_known: tuple[Name, ...]  # resume functions, which the arguments alone do not determine

    def to_dict(self) -> dict[str, Any]:
        """The answer in plain dictionaries, lists, strings and numbers."""
        return plain_dict(self)
