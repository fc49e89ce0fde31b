"""Where the ranks of a process group stop to issue the same collectives, which is what hangs a job.

Ranks have to agree on those that all of them take part in, so each group is asked about the groups that hold all of its
ranks. A rank that ended without a word may have ended before the next: that it has no more is no parting.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Final

from unjit.model import Collective, Maybe, Message, Parting, PartingSide, Term, Unknown
from unjit.ranks.reading import ReadRank
from unjit.ranks.sequences import Issued, Sequence
from unjit.ranks.sides import groups

Ranks = tuple[int, ...]
_DEFAULT: Final = "0"  # torch numbers groups, and this one is the first
_NOT_TOLD: Final = Unknown(Message("the ranks of the group are not known: no rank noted them"))


def partings(ranks: Iterable[ReadRank], sequences: Mapping[int, Sequence]) -> Iterator[Parting]:
    """The first parting of each process group, forward and then backward."""
    members = Members(ranks, sequences)
    for own in members.sets:
        yield from _parting(own, "forward", {rank: sequences[rank].forward for rank in own}, members)
        functions = dict.fromkeys(known for rank in own for known in sequences[rank].backward)
        for function in functions:
            found = {rank: sequences[rank].backward.get(function, ()) for rank in own}
            yield from _parting(own, "backward", found, members)


class Members:
    """Which ranks are in the groups that graphs name."""

    def __init__(self, ranks: Iterable[ReadRank], sequences: Mapping[int, Sequence]) -> None:
        self._told: dict[str, Ranks] = {}
        self.finished = {rank.rank for rank in ranks if rank.finished}
        for rank in ranks:
            known = rank.membership.groups if rank.membership is not None else ()
            for group in () if isinstance(known, Unknown) else known:
                self._told[group.name] = group.ranks
        self._naming: dict[str, set[int]] = {}
        for rank_number, sequence in sequences.items():
            for issued in _all(sequence):
                self._naming.setdefault(issued.call.group, set()).add(rank_number)
        self._all = tuple(sequences)
        found = {self.present(name) for name in self._naming}
        self.sets = sorted((own for own in found if len(own) > 1), key=lambda own: (-len(own), own))

    def of(self, name: str) -> Ranks:
        """The ranks of a group: as they noted it, or else all of the default group, and of others who names it."""
        naming = self._all if name == _DEFAULT else tuple(sorted(self._naming.get(name, ())))
        return self._told.get(name) or naming

    def present(self, name: str) -> Ranks:
        """Those of them that left a capture."""
        return tuple(rank for rank in self.of(name) if rank in self._all)

    def told(self, name: str) -> Maybe[Ranks]:
        """The ranks of a group, if any rank noted them."""
        return self._told.get(name, _NOT_TOLD)


def _parting(own: Ranks, graphs: str, issued: Mapping[int, Iterable[Issued]], members: Members) -> Iterator[Parting]:
    lists = {
        rank: [one for one in found if set(own) <= set(members.of(one.call.group))] for rank, found in issued.items()
    }
    for position, row in enumerate(zip_longest(*lists.values())):
        at = dict(zip(lists, row, strict=True))
        alive = {rank: one for rank, one in at.items() if one is not None or rank in members.finished}
        found = groups({rank: None if one is None else _agreed(one, members) for rank, one in alive.items()})
        if len(found) < 2 or _differ_in_what_is_open(found):
            continue
        if any(one is not None and members.present(one.call.group) == own for one in alive.values()):
            first = {ranks: at[ranks[0]] for _, ranks in found}
            before = lists[found[0][1][0]][position - 1] if position else None
            yield Parting(
                own,
                Term(graphs),
                position,
                None if before is None else _told(before, members),
                tuple(PartingSide(ranks, None if one is None else _told(one, members)) for ranks, one in first.items()),
            )
        return


def _agreed(one: Issued, members: Members) -> tuple[object, ...]:
    op, detail, tensor = one.call.must_agree
    return op, detail, members.of(one.call.group), tensor


def _differ_in_what_is_open(found: list[tuple[tuple[object, ...] | None, Ranks]]) -> bool:
    """Whether all that differs is a shape that some of them leave open."""
    known = [value for value, _ in found]
    if None in known or len({value[:3] for value in known if value is not None}) > 1:
        return False
    return len({value[3] for value in known if value is not None and value[3] is not None}) < 2


def _told(issued: Issued, members: Members) -> Collective:
    return issued.call.told(issued.path, members.told(issued.call.group))


def _all(sequence: Sequence) -> Iterator[Issued]:
    yield from sequence.forward
    for found in sequence.backward.values():
        yield from found
