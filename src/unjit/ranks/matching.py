"""Which functions of the ranks are the same.

A key may have another number on another rank, where functions of one name were compiled in another order. So two
functions are the same if they have one name and stand at one place. Several of these are paired in their order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from unjit.model import Maybe, Place, Unknown
from unjit.model.places import UNNAMED
from unjit.ranks.reading import ReadCompile, ReadRank

Item = tuple["Known", int]  # a compile of a function


@dataclass(frozen=True)
class Known:
    """A function, as all ranks know it."""

    key: str  # on the first rank that has it
    place: tuple[str, object] | None


class Functions:
    """The functions of all ranks, in the order in which the first rank that has one compiled it."""

    def __init__(self, ranks: Sequence[ReadRank]) -> None:
        self._known: dict[tuple[int, str], Known] = {}
        self.places: dict[Known, Maybe[Place]] = {}
        by_identity: dict[object, Known] = {}
        for rank in ranks:
            seen: Counter[object] = Counter()
            for key in dict.fromkeys([*(one.function for one in rank.compiles), *rank.places]):
                place = _where(rank.places[key])
                name = (_stem(key, rank), place) if place else (key, None)
                identity = (*name, seen[name])
                seen[name] += 1
                if place is None:
                    known = next((one for one in self.places if one.key == key), None)
                else:
                    known = by_identity.get(identity)
                if known is None:
                    known = by_identity[identity] = Known(key, place)
                    self.places[known] = rank.places[key]
                self._known[rank.rank, key] = known

    def of(self, rank: ReadRank, key: str) -> Known:
        """What a rank knows under this key."""
        return self._known[rank.rank, key]

    def items(self, rank: ReadRank) -> dict[Item, ReadCompile]:
        """The compiles of a rank in their order, by what they are compiles of."""
        return {(self.of(rank, one.function), one.number): one for one in rank.compiles}


def _where(place: Maybe[Place]) -> tuple[str, object] | None:
    if isinstance(place, Unknown) or place.file == UNNAMED or isinstance(place.line, Unknown):
        return None
    return str(place.file), place.line


def _stem(key: str, rank: ReadRank) -> str:
    """The name without the number that tells it from others of the same name."""
    stem = re.sub(r"_\d+$", "", key)
    return stem if stem in rank.places else key
