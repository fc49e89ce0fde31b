"""Whether a cache entry is for what was asked about, or for another that shares its code."""

from __future__ import annotations

from dataclasses import dataclass

from unjit.model.explained.guards import FailedCondition
from unjit.model.texts import Term
from unjit.model.unknown import Maybe, Unknown


@dataclass(frozen=True, slots=True)
class Relevance:
    """What an entry has to do with the module, other object or closure that was asked about.

    All modules of a class share its forward, and all functions that one `def` made share their code; Dynamo keeps its
    entries by code.
    """

    asked: Term  # "module", "object" or "function": what was asked about
    failed: Maybe[tuple[FailedCondition, ...]]  # guards on it, or on the variables around it, that do not hold now

    @property
    def may_run(self) -> bool:
        """Whether no guard is known that keeps the entry from running when that is called."""
        return isinstance(self.failed, Unknown) or not self.failed
