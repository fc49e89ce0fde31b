"""Two cache entries side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjit.model.serialise import to_plain
from unjit.model.texts import Constant, Expression, Generated, Name, Term
from unjit.model.unknown import Maybe


@dataclass(frozen=True, slots=True)
class GuardDifference:
    """What one entry asks of a value and the other does not, or not so. None: it asks nothing of this kind."""

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
        found = to_plain(self)
        assert isinstance(found, dict)
        return found
