"""Where the ranks of a process group stop to issue the same collectives, which is what hangs a job.

Ranks have to agree on those that all of them take part in, so each group is asked about the groups that hold all of its
ranks. A rank that ended without a word may have ended before the next: that it has no more is no parting.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from typing import Final

from unjit.directory.runs import Runs
from unjit.model import Collective, Maybe, Message, Parting, PartingSide, Term, Unknown, known_or
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
        if all(isinstance(sequences[rank].runs, Runs) for rank in own):
            yield from _of_runs(own, sequences, members)
        else:
            yield from _of_lists(own, "forward", {rank: sequences[rank].forward for rank in own}, members)
        functions = dict.fromkeys(known for rank in own for known in sequences[rank].backward)
        for function in functions:
            found = {rank: sequences[rank].backward.get(function, ()) for rank in own}
            yield from _of_lists(own, "backward", found, members)


def _of_lists(own: Ranks, graphs: str, issued: Mapping[int, Iterable[Issued]], members: Members) -> Iterator[Parting]:
    """The first parting of a group by its graphs, each once, in the order of their first runs."""
    kept = {rank: tuple(one for one in found if members.hold(own, one)) for rank, found in issued.items()}
    alike = groups({rank: (rank in members.finished, found) for rank, found in kept.items()})
    yield from _parting(own, graphs, [(same, ended, found) for (ended, found), same in alike], 0, members)


def _of_runs(own: Ranks, sequences: Mapping[int, Sequence], members: Members) -> Iterator[Parting]:
    """The first parting of a group by runs: all that are known, from where all ranks know them on."""
    lines: dict[int, _Line] = {rank: _line(own, sequences[rank], members) for rank in own}
    start = max(line.before for line in lines.values())
    alike = groups({rank: (rank in members.finished, line) for rank, line in lines.items()})
    streams = [(same, ended, islice(line.flat(), start - line.before, None)) for (ended, line), same in alike]
    if len(streams) > 1:
        yield from _parting(own, "forward", streams, start, members)


@dataclass(frozen=True)
class _Line:
    """The collectives that a rank issued, run by run."""

    before: int  # how many there were before those that are known
    runs: tuple[tuple[Issued, ...], ...] = field(compare=False)
    agreed: tuple[object, ...]  # what has to be the same

    def flat(self) -> Iterator[Issued]:
        """All its collectives, one after the other."""
        return chain.from_iterable(self.runs)


def _line(own: Ranks, sequence: Sequence, members: Members) -> _Line:
    assert isinstance(sequence.runs, Runs), "asked only where they are known"
    compiles = [tuple(one for one in found if members.hold(own, one)) for found in sequence.compiles]
    numbers = [members.number(tuple(_agreed(one, members) for one in found)) for found in compiles]
    kept = [order for order in sequence.runs.kept if compiles[order]]
    before = sum(count * len(compiles[order]) for order, count in sequence.runs.before.items())
    return _Line(before, tuple(compiles[order] for order in kept), tuple(numbers[order] for order in kept))


class Members:
    """Which ranks are in the groups that graphs name."""

    def __init__(self, ranks: Iterable[ReadRank], sequences: Mapping[int, Sequence]) -> None:
        self._told: dict[str, Ranks] = {}
        self._numbers: dict[object, int] = {}
        self.finished = {rank.rank for rank in ranks if rank.finished}
        for rank in ranks:
            known = rank.membership.groups if rank.membership is not None else ()
            for group in known_or(known, ()):
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

    def hold(self, own: Ranks, issued: Issued) -> bool:
        """Whether all of these ranks take part in a collective."""
        return set(own) <= set(self.of(issued.call.group))

    def number(self, agreed: object) -> int:
        """The same number for the same, so that runs are quick to compare."""
        return self._numbers.setdefault(agreed, len(self._numbers))

    def told(self, name: str) -> Maybe[Ranks]:
        """The ranks of a group, if any rank noted them."""
        return self._told.get(name, _NOT_TOLD)


def _parting(
    own: Ranks, graphs: str, streams: Iterable[tuple[Ranks, bool, Iterable[Issued]]], start: int, members: Members
) -> Iterator[Parting]:
    """The first position at which streams of collectives are not alike; each is of some ranks, that ended or not."""
    ranks, ended, issued = zip(*streams, strict=True)
    before: Issued | None = None
    for position, row in enumerate(zip_longest(*issued), start):
        alive = [at for at, one in enumerate(row) if one is not None or ended[at]]
        found = groups({at: None if row[at] is None else _agreed(row[at], members) for at in alive})
        if len(found) < 2 or _differ_in_what_is_open(found):
            before = row[alive[0]] if alive else None
            continue
        if any(row[at] is not None and members.present(row[at].call.group) == own for at in alive):
            sides = [(tuple(sorted(rank for at in same for rank in ranks[at])), row[same[0]]) for _, same in found]
            yield Parting(
                own,
                Term(graphs),
                position,
                None if before is None else _told(before, members),
                tuple(
                    PartingSide(side, None if one is None else _told(one, members))
                    for side, one in sorted(sides, key=_most)
                ),
            )
        return


def _most(side: tuple[Ranks, Issued | None]) -> tuple[int, Ranks]:
    return -len(side[0]), side[0]


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
