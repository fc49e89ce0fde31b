"""Where ranks compiled differently: one compile of one function after another."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from unjit.model import Generated, Grade, GraphBreak, Matter, Name, Place, RankDifference, Side, Term, Unknown
from unjit.model.captured.pieces import without_number
from unjit.ranks.matching import Functions, Item, Known
from unjit.ranks.reading import ReadCompile, ReadRank
from unjit.ranks.sides import groups, sides_of_lists, sides_of_texts
from unjit.ranks.texts import Texts, without_numbers
from unjit.render.forms.outline import count

# What is made of what: texts in the order in which torch makes them, by the ends of their names.
_CHAIN: Final[tuple[tuple[str, Matter], ...]] = (
    ("captured.py", "graphs"),
    ("ddp_split.py", "graphs"),
    ("pre_grad_before.py", "graphs"),
    ("pre_grad_after.py", "graphs"),
    ("joint.py", "graphs"),
    ("forward.py", "graphs"),
    ("backward.py", "graphs"),
    ("inference.py", "graphs"),
    ("joint_passes_before.py", "graphs"),
    ("joint_passes_after.py", "graphs"),
    ("post_grad_before.py", "graphs"),
    ("post_grad_after.py", "graphs"),
    ("output_code.py", "kernels"),
    ("transformed_bytecode.txt", "code"),
)
_HALF: Final = re.compile(r"^(?:forward|backward|inference)_")
_GUARD: Final = re.compile(
    r"^[| ]*\+- (?P<guard>(?!GuardManager|DictGuardManager|RootGuardManager|KeyValueManager)\w+: .*?)(?:\s{2,}# .*)?$"
)


class Comparison:
    """All ranks, and what is compared of them."""

    def __init__(self, ranks: Sequence[ReadRank], texts: Texts) -> None:
        self.ranks = ranks
        self.texts = texts
        self.functions = Functions(ranks)
        self.items = {rank.rank: self.functions.items(rank) for rank in ranks}
        self.compiles = {rank: _by_function(items) for rank, items in self.items.items()}
        self.calls = {rank.rank: self._calls_of(rank) for rank in ranks}
        self.skipped: set[int] = set()  # ranks that lack texts because a cache had them

    def differences(self) -> Iterator[RankDifference]:
        """Everything that differs, by function and compile, in the order of the first rank."""
        yield from self._order()
        for function in self.functions.places:
            yield from self._counts(function)
            numbers = {one.number for compiles in self.compiles.values() for one in compiles.get(function, ())}
            for number in sorted(numbers):
                yield from self._compile((function, number))

    def has(self, matter: Matter) -> bool:
        """Whether there is anything of this kind to compare: a log has no generated code, for instance."""
        if matter in ("compiles", "recompiles", "breaks"):
            return True
        compiles = dict(enumerate(one for items in self.items.values() for one in items.values()))
        if matter == "guards":
            return any("guards.txt" in one.texts for one in compiles.values())
        return any(kind == matter for _, kind in _names(compiles))

    def _calls_of(self, rank: ReadRank) -> dict[Item, int]:
        items = list(self.items[rank.rank])
        return {items[order]: call for order, call in rank.calls().items()}

    def _compile(self, item: Item) -> Iterator[RankDifference]:
        compiles = {rank: items[item] for rank, items in self.items.items() if item in items}
        if len(compiles) < 2:
            return
        yield from self._calls(item)
        yield from self._facts(item, compiles)
        yield from self._guards(item, compiles)
        yield from self._texts(item, compiles)

    def _counts(self, function: Known) -> Iterator[RankDifference]:
        """How often each rank compiled a function: a rank that ended without a word might have done so again."""
        reasons = {rank.rank: self._reasons(rank, function) for rank in self.ranks}
        last = {len(reasons[rank.rank]) for rank in self.ranks if rank.finished}
        so_far = max((len(reasons[rank.rank]) for rank in self.ranks if not rank.finished), default=0)
        if len(last) < 2 and so_far <= max(last, default=so_far):
            return
        sides = tuple(Side(ranks, Generated("\n".join(lines)) if lines else None) for lines, ranks in groups(reasons))
        yield self._difference("compiles", (function, None), "compiles", "other", sides)

    def _reasons(self, rank: ReadRank, function: Known) -> tuple[str, ...]:
        """One line for each compile of a function: why it was made."""
        found = self.compiles[rank.rank].get(function, ())
        return tuple(f"compile {one.number}: {'; '.join(_recompiles(one)) or 'the first'}" for one in found)

    def _order(self) -> Iterator[RankDifference]:
        """That compiles which all ranks have came in another order: then something was compiled at another step."""
        common = set.intersection(*(set(items) for items in self.items.values()))
        orders = {rank: tuple(item for item in items if item in common) for rank, items in self.items.items()}
        found = groups(orders)
        if len(found) < 2:
            return
        at = next(
            at for at, items in enumerate(zip(*(order for order, _ in found), strict=True)) if len(set(items)) > 1
        )
        sides = tuple(
            Side(ranks, Generated(f"{order[at][0].key}, compile {order[at][1]}, {_after(order, at)}"))
            for order, ranks in found
        )
        function, number = found[0][0][at]
        matter: Matter = "recompiles" if any(order[at][1] for order, _ in found) else "compiles"
        yield self._difference(matter, (function, number), "order", "other", sides)

    def _calls(self, item: Item) -> Iterator[RankDifference]:
        """That a compile was made at another call of its function, as far as runs were written down."""
        known = {rank: calls[item] for rank, calls in self.calls.items() if item in calls}
        if len(set(known.values())) < 2:
            return
        said = {rank: f"made when its code had run {count(call - 1, 'time')}" for rank, call in known.items()}
        sides = tuple(Side(ranks, Generated(text)) for text, ranks in groups(said))
        yield self._difference("recompiles", item, "calls", "other", sides)

    def _facts(self, item: Item, compiles: Mapping[int, ReadCompile]) -> Iterator[RankDifference]:
        known = {rank: one for rank, one in compiles.items() if one.facts is not None}
        for matter, read in _FACTS:
            lines = {rank: read(one) for rank, one in known.items()}
            grade = _grade_of_lists(lines)
            if grade is not None:
                yield self._difference(matter, item, matter, grade, sides_of_lists(lines))

    def _guards(self, item: Item, compiles: Mapping[int, ReadCompile]) -> Iterator[RankDifference]:
        numbers = {rank: one.texts["guards.txt"] for rank, one in compiles.items() if "guards.txt" in one.texts}
        if len(set(numbers.values())) < 2:
            return
        lines = {rank: self._guard_lines(number) for rank, number in numbers.items()}
        grade = _grade_of_lists(lines)
        if grade is not None:
            yield self._difference("guards", item, "guards.txt", grade, sides_of_lists(lines))

    def _guard_lines(self, number: int) -> tuple[str, ...]:
        matches = map(_GUARD.match, self.texts.text(number).splitlines())
        return tuple(self.texts.stripped(match["guard"] for match in matches if match).splitlines())

    def _texts(self, item: Item, compiles: Mapping[int, ReadCompile]) -> Iterator[RankDifference]:
        """The first text that differs; those that are made of it and differ too are named beside it."""
        found: dict[Grade, tuple[Matter, str, tuple[Side, ...]]] = {}
        follow: dict[Grade, list[Term]] = {"other": [], "numbers": []}
        for name, matter in _names(compiles):
            having = {rank: one.texts.get(name) for rank, one in compiles.items()}
            sides, grade = self._compared(having, compiles)
            if grade is None:
                continue
            grade = grade if grade not in found and "other" not in found else "other" if "other" in found else grade
            if grade in found:
                follow[grade].append(Term(name))
            else:
                found[grade] = (matter, name, sides)
        for grade, (matter, name, sides) in found.items():
            yield self._difference(matter, item, name, grade, sides, tuple(follow[grade]))

    def _compared(
        self, numbers: Mapping[int, int | None], compiles: Mapping[int, ReadCompile]
    ) -> tuple[tuple[Side, ...], Grade | None]:
        """How texts differ, and what each side has; a text that a cache had is not compared."""
        cached = {rank for rank, number in numbers.items() if number is None and compiles[rank].is_from_cache}
        ended = {rank for rank, number in numbers.items() if number is None and compiles[rank].facts is None}
        self.skipped |= cached
        kept = {rank: number for rank, number in numbers.items() if rank not in cached | ended}
        if len(set(kept.values())) < 2:
            return (), None
        plain = {rank: None if number is None else self.texts.plain(number) for rank, number in kept.items()}
        if len(set(plain.values())) < 2:
            return (), None
        bare = {None if text is None else without_numbers(text) for text in set(plain.values())}
        return sides_of_texts(plain), "numbers" if len(bare) == 1 else "other"

    def _difference(
        self,
        matter: Matter,
        item: tuple[Known, int | None],
        name: str,
        grade: Grade,
        sides: tuple[Side, ...],
        follows: tuple[Term, ...] = (),
    ) -> RankDifference:
        function, number = item
        place = self.functions.places[function]
        return RankDifference(matter, Name(function.key), place, number, Term(name), grade, sides, follows)


def _by_function(items: Mapping[Item, ReadCompile]) -> dict[Known, list[ReadCompile]]:
    found: dict[Known, list[ReadCompile]] = {}
    for (function, _), one in items.items():
        found.setdefault(function, []).append(one)
    return found


def _names(compiles: Mapping[int, ReadCompile]) -> list[tuple[str, Matter]]:
    """The files to compare, in the order in which torch makes them."""
    places = {end: at for at, (end, _) in enumerate(_CHAIN)}
    names = {name for one in compiles.values() for name in one.texts}
    found = sorted((places[end], name) for name in names if (end := _end(name)) in places)
    return [(name, _CHAIN[at][1]) for at, name in found]


def _end(name: str) -> str:
    """What texts of all halves and pieces end in: `output_code.py` for forward_1_output_code.py."""
    stem, dot, suffix = name.partition(".")
    return _HALF.sub("", f"{without_number(stem)}{dot}{suffix}")


def _grade_of_lists(lines: Mapping[int, tuple[str, ...] | None]) -> Grade | None:
    """How lists of lines differ, whatever their order; None if they do not."""
    different = {None if found is None else tuple(sorted(found)) for found in lines.values()}
    if len(different) < 2:
        return None
    bare = {None if found is None else tuple(sorted(map(without_numbers, found))) for found in different}
    return "numbers" if len(bare) == 1 else "other"


def _recompiles(compile_: ReadCompile) -> tuple[str, ...]:
    failed = compile_.facts.compile.failed_guards if compile_.facts is not None else ()
    return () if isinstance(failed, Unknown) else tuple(str(one.condition) for one in failed)


def _breaks(compile_: ReadCompile) -> tuple[str, ...]:
    found = compile_.facts.compile.breaks if compile_.facts is not None else ()
    return () if isinstance(found, Unknown) else tuple(map(_break, found))


def _break(found: GraphBreak) -> str:
    place = found.place
    if isinstance(place, Unknown):
        return str(found.reason)
    assert isinstance(place, Place), "a place is known or not"
    code = "" if isinstance(place.code, Unknown) else f": {place.code}"
    return f"{found.reason} at {place.file}:{place.line}{code}"


def _outcome(compile_: ReadCompile) -> tuple[str, ...]:
    assert compile_.facts is not None, "asked of compiles that have ended"
    error = compile_.facts.compile.error
    return (str(compile_.facts.compile.outcome), *([str(error).splitlines()[0]] if error else []))


_FACTS: Final[tuple[tuple[Matter, Callable[[ReadCompile], tuple[str, ...]]], ...]] = (
    ("recompiles", _recompiles),
    ("breaks", _breaks),
    ("compiles", _outcome),
)


def _after(order: Sequence[Item], at: int) -> str:
    if not at:
        return "first of all"
    return f"after {order[at - 1][0].key}, compile {order[at - 1][1]}"
