"""What a check of guards costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjit.model.plain.serialise import plain_dict
from unjit.model.texts import Expression, Message, Name, Term
from unjit.model.unknown import Maybe


@dataclass(frozen=True, slots=True)
class CostPart:
    """A value with everything that is reached through it."""

    source: Maybe[Expression]  # in Dynamo's words, as in the tree of guards
    subject: Maybe[Expression]  # as the user would write it
    guards: Maybe[int]
    seconds: float  # of one thorough check of this part


@dataclass(frozen=True, slots=True)
class CheckTimes:
    """The time of one check that holds, and where it goes. All times are the best of several, in seconds."""

    seconds: float  # as a call pays it: what did not change since the last check is skipped
    thorough: float  # with nothing skipped: what parts and savings are measured against
    parts: tuple[CostPart, ...]  # the dearest first; together they need not be everything


@dataclass(frozen=True, slots=True)
class Saving:
    """Guards that an option of torch.compile would leave out."""

    option: Term  # for options={"guard_filter_fn": …}
    guards: int
    seconds: float  # that one thorough check would take less, but for guards on torch's state and on several values
    risk: Message


@dataclass(frozen=True, slots=True)
class GuardCost:
    """What a check of an entry's guards costs, and what options of torch would take off."""

    entry: Name
    guards: int
    check: CheckTimes
    savings: tuple[Saving, ...]

    def to_dict(self) -> dict[str, Any]:
        """The costs in plain dictionaries, lists, strings and numbers."""
        return plain_dict(self)
