"""Ranks side by side, in text: what hangs a job first, then what differs, and what does not in one line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from unjit.model import Collective, Parting, PartingSide, RankDifference, Ranks, Unknown, known_or
from unjit.render.forms.markdown import code, words
from unjit.render.forms.outline import count, fact
from unjit.render.forms.places import where

_MOST_NUMBERS = 20  # differences in numbers that are listed
_TITLES = {
    "compiles": "compiled at all, and how often",
    "recompiles": "why and when compiled again",
    "breaks": "graph breaks",
    "guards": "guards",
    "graphs": "graphs",
    "kernels": "kernels",
    "code": "generated code",
}
_TITLES_BY_NAME = {"order": "compiled in another order", "calls": "compiled again at another call"}


def ranks_text(ranks: Ranks) -> str:
    """ranks.md: the ranks of one job, side by side."""
    others = [one for one in ranks.differences if one.grade == "other"]
    numbers = [one for one in ranks.differences if one.grade == "numbers"]
    lines = [f"# {_title(ranks)}", "", *_table(ranks), ""]
    lines += ["## Collectives", "", *_collectives(ranks), ""]
    lines += ["## What differs", "", *(_differences(others) or ["Nothing that was compared."]), ""]
    if numbers:
        lines += ["## What differs only in numbers", "", "Sizes, or what each rank has of its own.", ""]
        lines += [*_numbers(numbers), ""]
    if ranks.same and len(ranks.ranks) > 1:
        lines += [f"{_compared(ranks)}: {', '.join(_TITLES[matter] for matter in ranks.same)}.", ""]
    lines += _section("What was not compared", map(words, ranks.unknown))
    lines += _section("What was lost", map(words, ranks.losses))
    lines += _section("Other processes", [f"[{name}](processes/{name}/index.md)" for name in ranks.others])
    return "\n".join(lines).rstrip() + "\n"


def ranks_index(ranks: Ranks) -> str:
    """index.md where nothing but ranks wrote: where to read on."""
    told = [f"[rank {one.rank}]({one.folder}/index.md)" for one in ranks.ranks]
    others = [f"[{name}](processes/{name}/index.md)" for name in ranks.others]
    first = f"{summary(ranks)} [ranks.md](ranks.md) has it."
    return "\n".join([f"# {_title(ranks)}", "", first, "", *(f"- {line}" for line in [*told, *others])]) + "\n"


def numbers_of(ranks: Sequence[int]) -> str:
    """`rank 3`, `ranks 0-2, 5`."""
    spans: list[list[int]] = []
    for rank in sorted(ranks):
        if spans and rank == spans[-1][-1] + 1:
            spans[-1].append(rank)
        else:
            spans.append([rank])
    told = ", ".join(str(span[0]) if len(span) == 1 else f"{span[0]}-{span[-1]}" for span in spans)
    return f"rank{'s' * (len(ranks) > 1)} {told}"


def _title(ranks: Ranks) -> str:
    size = "" if isinstance(ranks.size, Unknown) or ranks.size == len(ranks.ranks) else f" of {ranks.size}"
    return f"{len(ranks.ranks)}{size} ranks side by side"


def summary(ranks: Ranks) -> str:
    """Whether anything parts or differs, in one sentence."""
    others = sum(one.grade == "other" for one in ranks.differences)
    parts = [f"{numbers_of(parting.group)} diverge in their collectives" for parting in ranks.partings] or [
        "no parting of collectives was found"
    ]
    parts.append(f"{count(others, 'difference')} in what was compiled" if others else "all compiled the same")
    return f"{'; '.join(parts)}.".capitalize()


def _compared(ranks: Ranks) -> str:
    """What is the same, and where: a compile that some ranks lack is compared among those that have it."""
    uneven = any(one.number is None for one in ranks.differences if one.matter == "compiles")
    return "In the compiles that several ranks have, the same on these" if uneven else "The same on all ranks"


def _table(ranks: Ranks) -> Iterator[str]:
    heads = ("rank", "ended", "functions", "compiles", "breaks", "recompiles", "collectives in graphs", "runs")
    yield f"| {' | '.join(heads)} | seconds of compiling |"
    yield f"| {' | '.join('---' for _ in heads)} | --- |"
    for one in ranks.ranks:
        ended = "yes" if one.finished else "without a word"
        runs = known_or(one.runs, "unknown")
        seconds = "unknown" if isinstance(one.seconds, Unknown) else f"{one.seconds:.1f}"
        link = f"[{one.rank}]({one.folder}/index.md)"
        numbers = (one.functions, one.compiles, one.breaks, one.recompiles, one.collectives, runs)
        yield f"| {link} | {ended} | {' | '.join(map(str, numbers))} | {seconds} |"
    if not isinstance(ranks.missing, Unknown) and ranks.missing:
        yield ""
        left = "left nothing: compiled nothing, or ended before the first compile"
        yield f"{numbers_of(ranks.missing).capitalize()} {left}."


def _collectives(ranks: Ranks) -> Iterator[str]:
    if not any(one.collectives for one in ranks.ranks):
        yield "No graph has any."
    elif not ranks.partings:
        yield "In the graphs all ranks of each group issue the same, in the same order, as far as each rank came."
    for parting in ranks.partings:
        yield from _parting(parting)


def _parting(parting: Parting) -> Iterator[str]:
    yield f"{parting_title(parting)}:"
    yield ""
    if parting.before is not None:
        yield f"- the last in common: {words(collective(parting.before))}"
    yield from (f"- {numbers_of(side.ranks)}: {words(side_text(side))}" for side in parting.sides)


def parting_title(parting: Parting) -> str:
    """Whose collectives diverge, and after how many."""
    start = "from the start" if parting.before is None else f"after {parting.position} in common"
    return f"{numbers_of(parting.group).capitalize()} diverge in {parting.graphs} graphs, {start}"


def side_text(side: PartingSide) -> str:
    """What some ranks issue where they diverge."""
    one = side.collective
    return "no more" if one is None else f"{collective(one)} ({one.path}:{one.line})"


def collective(one: Collective) -> str:
    """`all_reduce(f32[4], 'sum') in group '0' of ranks 0-1, at train.py:7 in total: dist.all_reduce(x)`."""
    detail = f", {one.detail}" if one.detail else ""
    members = "" if isinstance(one.ranks, Unknown) else f" of {numbers_of(one.ranks)}"
    return f"{one.op}({fact(one.tensor)}{detail}) in group '{one.group}'{members}, at {where(one.place)}"


def _differences(differences: Iterable[RankDifference]) -> list[str]:
    found = []
    for one in differences:
        found += [f"### {words(difference_title(one))}", ""]
        found += [] if isinstance(one.place, Unknown) else [code(where(one.place)), ""]
        found += ["```text", *_sides(one), "```", ""]
        if one.follows:
            found += [f"So do those made of it: {', '.join(one.follows)}.", ""]
    return found[:-1]


def difference_title(one: RankDifference) -> str:
    """`toy, compile 0: graphs (captured.py)`."""
    number = "" if one.number is None else f", compile {one.number}"
    what = f" ({one.name})" if one.name.endswith((".py", ".txt")) else ""
    return f"{one.function}{number}: {_TITLES_BY_NAME.get(one.name) or _TITLES[one.matter]}{what}"


def _sides(one: RankDifference) -> Iterator[str]:
    for side in one.sides:
        text = "(has none)" if side.text is None else side.text
        yield f"{numbers_of(side.ranks)}:"
        yield from (f"    {line}" for line in text.splitlines())


def _numbers(differences: Sequence[RankDifference]) -> Iterator[str]:
    yield from (f"- `{in_numbers(one)}`" for one in differences[:_MOST_NUMBERS])
    if len(differences) > _MOST_NUMBERS:
        yield f"- and {len(differences) - _MOST_NUMBERS} more, in ranks.json"


def in_numbers(one: RankDifference) -> str:
    """A difference only in numbers, in one line."""
    number = "" if one.number is None else f", compile {one.number}"
    told = " | ".join(f"{numbers_of(side.ranks)}: {_first(side.text)}" for side in one.sides[:3])
    also = f"; also {', '.join(one.follows)}" if one.follows else ""
    return f"{one.function}{number}, {one.name}{also}: {told}"


def _first(text: str | None) -> str:
    line = "none" if text is None else next(iter(text.splitlines()), "")
    return line if len(line) <= 60 else f"{line[:59]}…"


def _section(title: str, lines: Iterable[str]) -> list[str]:
    told = [f"- {line}" for line in lines]
    return [f"## {title}", "", *told, ""] if told else []
