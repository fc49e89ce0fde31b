"""All ranks of one directory, compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from unjit.model import Matter, Maybe, Message, Rank, RankDifference, Ranks, Term, Unknown
from unjit.ranks import sequences
from unjit.ranks.comparing import Comparison
from unjit.ranks.partings import partings
from unjit.ranks.reading import ReadRank, rank_folders, read_rank
from unjit.ranks.sequences import Collectives
from unjit.ranks.texts import Texts
from unjit.render.functions.compiles import breaks_in

_MATTERS: Final[tuple[Matter, ...]] = ("compiles", "recompiles", "breaks", "guards", "graphs", "kernels", "code")
_NO_RANK_SAYS: Final = Unknown(
    Message("no rank noted how many there are: read from logs, or ended before its first compile")
)


def merge_ranks(top: Path) -> Ranks:
    """What the ranks below a directory have alike and what not; UnjitError if there are none."""
    folders, others = rank_folders(top)
    texts = Texts()
    ranks = [read_rank(top, rank, name, texts) for rank, name in folders.items()]
    texts.groups = _meanings(ranks)
    comparison = Comparison(ranks, texts)
    collectives = Collectives(comparison.items, texts)
    issued = {rank.rank: collectives.of(rank) for rank in ranks}
    differences = tuple(comparison.differences()) if len(ranks) > 1 else ()
    size = next((one.membership.size for one in ranks if one.membership is not None), None)
    return Ranks(
        size=_NO_RANK_SAYS if size is None else size,
        ranks=tuple(_numbers(rank, issued[rank.rank]) for rank in ranks),
        missing=_NO_RANK_SAYS if size is None else tuple(rank for rank in range(size) if rank not in folders),
        others=tuple(map(Term, others)),
        same=tuple(Term(matter) for matter in _MATTERS if comparison.has(matter) and not _differs(matter, differences)),
        differences=differences,
        partings=tuple(partings(ranks, issued)),
        unknown=tuple(map(Message, _unknown(comparison, collectives))),
        losses=tuple(Message(f"rank {rank.rank}: {loss}") for rank in ranks for loss in rank.losses),
    )


def _differs(matter: str, differences: Sequence[RankDifference]) -> bool:
    return any(one.matter == matter for one in differences)


def _meanings(ranks: Sequence[ReadRank]) -> dict[str, str]:
    """What process groups are for: their names differ between ranks where each has one of its own."""
    known = (rank.membership.groups for rank in ranks if rank.membership is not None)
    told = [group for groups in known if not isinstance(groups, Unknown) for group in groups]
    return {str(group.name): f"{group.description} of {len(group.ranks)}" for group in told}


def _numbers(rank: ReadRank, issued: sequences.Sequence) -> Rank:
    facts = [one.facts.compile for one in rank.compiles if one.facts is not None]
    again = [one for one in facts if not isinstance(one.failed_guards, Unknown) and one.failed_guards]
    seconds: Maybe[float] = rank.seconds
    return Rank(
        rank=rank.rank,
        folder=Term(rank.folder),
        finished=rank.finished,
        functions=len({one.function for one in rank.compiles}),
        compiles=len(rank.compiles),
        breaks=len({found for one in facts for found in breaks_in(one)}),  # as a run of its own counts them
        recompiles=len(again),
        collectives=len(issued.forward) + sum(map(len, issued.backward.values())),
        runs=rank.runs if isinstance(rank.runs, Unknown) else rank.runs.total,
        seconds=seconds,
    )


def _unknown(comparison: Comparison, collectives: Collectives) -> Iterator[str]:
    yield (
        "collectives that are issued outside of compiled graphs, as by DDP's reducer, FSDP's hooks and the program "
        "itself, are in no graph, so they are not compared"
    )
    unknown = {str(rank.runs.reason): rank.rank for rank in comparison.ranks if isinstance(rank.runs, Unknown)}
    for reason in unknown:
        told = {rank.rank for rank in comparison.ranks if rank.runs == Unknown(Message(reason))}
        yield f"how often each graph ran on {_list(told)}, and in which order: {reason}"
    yield "the order in which backward graphs of different functions ran was not recorded"
    if collectives.hidden:
        names = ", ".join(sorted(collectives.hidden))
        yield f"{names}: only the graph with distributed tensors is known, not the collectives that they issue"
    if comparison.skipped:
        yield (
            f"texts that torch's caches left out on {_list(comparison.skipped)} were not compared with those of other "
            "ranks: a run with empty caches, or unjit.capture(fresh=True), has them all"
        )
    without = [rank for rank in comparison.ranks if _groups_unknown(rank)]
    if without:
        yield f"which ranks are in which process group was not noted by {_list({rank.rank for rank in without})}"


def _groups_unknown(rank: ReadRank) -> bool:
    return rank.membership is None or isinstance(rank.membership.groups, Unknown)


def _list(ranks: Mapping[int, object] | set[int]) -> str:
    numbers = sorted(ranks)
    return f"rank {numbers[0]}" if len(numbers) == 1 else f"{len(numbers)} ranks"
