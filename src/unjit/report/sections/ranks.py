"""What the page says of several ranks together."""

from __future__ import annotations

from dataclasses import dataclass

from unjit.model import Ranks
from unjit.render.side_by_side import ranks as words


@dataclass(frozen=True)
class Story:
    """Something in which ranks differ: who has what."""

    title: str
    sides: tuple[tuple[str, str], ...]
    follows: str = ""


@dataclass(frozen=True)
class RanksView:
    """The section on ranks."""

    of: Ranks
    verdict: str
    partings: tuple[Story, ...]
    differences: tuple[Story, ...]
    numbers: tuple[str, ...]


def ranks_view(ranks: Ranks) -> RanksView:
    """The section on ranks: what they do not have alike, in words."""
    return RanksView(
        of=ranks,
        verdict=words.summary(ranks),
        partings=tuple(
            Story(
                words.parting_title(one),
                (
                    *((("the last in common", words.collective(one.before)),) if one.before else ()),
                    *((words.numbers_of(side.ranks), words.side_text(side)) for side in one.sides),
                ),
            )
            for one in ranks.partings
        ),
        differences=tuple(
            Story(
                words.difference_title(one),
                tuple((words.numbers_of(side.ranks), side.text or "(has none)") for side in one.sides),
                ", ".join(one.follows),
            )
            for one in ranks.differences
            if one.grade == "other"
        ),
        numbers=tuple(words.in_numbers(one) for one in ranks.differences if one.grade == "numbers"),
    )
