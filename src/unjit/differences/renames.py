"""Functions that look like one under another name: one is in the first capture alone, one in the second."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from unjit.differences.compiles import graphs_of
from unjit.differences.entries import of_guards
from unjit.differences.pairing import Pair, compiles_of
from unjit.model import Capture, Function, Message, Unknown


def renames(found: Iterable[Pair], one: Capture, other: Capture) -> Iterator[Message]:
    """What is said of each pair that has the same graphs and guards, where no other function has these as well."""
    alone = [pair for pair in found if None in pair]
    gone = [mine for mine, _ in alone if mine is not None and mine.resume is None]
    come = [yours for _, yours in alone if yours is not None and yours.resume is None]
    alike = [(mine, yours) for mine in gone for yours in come if _are_alike(mine, yours, one, other)]
    for mine, yours in alike:
        if sum(mine is left or yours is right for left, right in alike) == 1:
            yield Message(
                f"{yours.key} of the second looks like {mine.key} of the first under another name: it has the same "
                "graphs and guards"
            )


def _are_alike(mine: Function, yours: Function, one: Capture, other: Capture) -> bool:
    graphs, others = ([*map(graphs_of, compiles_of(*side))] for side in ((mine, one), (yours, other)))
    known = [text for texts in graphs for text in texts.values() if not isinstance(text, Unknown)]
    if not known or graphs != others or len(mine.entries) != len(yours.entries):
        return False
    return not any(of_guards(a.guards, b.guards)[1] for a, b in zip(mine.entries, yours.entries, strict=True))
