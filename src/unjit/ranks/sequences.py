"""The collectives of a rank: of its graphs, in the order in which they ran, or in which each first ran.

Where a rank wrote down its runs, they tell the order. Else: a graph runs as soon as it is compiled, so the order of
compiles is the order of first runs. A compile whose graphs issue what those of an earlier one of the same function do
changes nothing there and is passed over: whether a rank compiled again is another question. The backward graphs of a
function run later, in an order that nothing tells: they are compared function by function.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from unjit.directory import layout
from unjit.directory.runs import Runs
from unjit.model import Callers, Maybe, Place
from unjit.model.captured.pieces import without_number
from unjit.ranks.collectives import Call, calls
from unjit.ranks.matching import Item, Known
from unjit.ranks.reading import ReadCompile, ReadRank
from unjit.ranks.texts import Texts

# The texts to read collectives from: the last that was made before code, if all ranks that have the compile have it.
_FORWARD: Final = (
    "forward_post_grad_after.py",
    "inference_post_grad_after.py",
    "forward.py",
    "inference.py",
    "forward_output_code.py",
    "inference_output_code.py",
    "captured.py",
)
_BACKWARD: Final = ("backward_post_grad_after.py", "backward.py", "backward_output_code.py")
_HALVES: Final = (("forward", _FORWARD), ("backward", _BACKWARD))


@dataclass(frozen=True)
class Issued:
    """A collective that a rank issues."""

    call: Call
    path: str  # of the graph's file, from the top of the rank's folder


@dataclass(frozen=True)
class Sequence:
    """The collectives of one rank in their order."""

    forward: tuple[Issued, ...]  # as each graph first ran
    backward: Mapping[Known, tuple[Issued, ...]]
    compiles: tuple[tuple[Issued, ...], ...]  # the forward graphs of each compile, in the order of compiles
    runs: Maybe[Runs]  # by that order


class Collectives:
    """Reads the collectives of all ranks."""

    def __init__(self, items: Mapping[int, Mapping[Item, ReadCompile]], texts: Texts) -> None:
        self._items = items
        self._texts = texts
        self._calls: dict[tuple[int, int | None], tuple[Call, ...]] = {}
        self.hidden: set[str] = set()  # functions of whose graphs only one with distributed tensors is known

    def of(self, rank: ReadRank) -> Sequence:
        """What a rank issues."""
        forward: list[Issued] = []
        backward: dict[Known, list[Issued]] = {}
        compiles: list[tuple[Issued, ...]] = []
        seen: set[object] = set()
        for item, one in self._items[rank.rank].items():
            known = item[0]
            halves = {half: self._graph(item, one, names) for half, names in _HALVES}
            compiles.append(tuple(halves["forward"]))
            same = known, *(tuple(issued.call.must_agree for issued in found) for found in halves.values())
            if same not in seen:
                seen.add(same)
                forward += halves["forward"]
                backward.setdefault(known, []).extend(halves["backward"])
        later = {known: tuple(found) for known, found in backward.items() if found}
        return Sequence(tuple(forward), later, tuple(compiles), rank.runs)

    def _graph(self, item: Item, one: ReadCompile, names: tuple[str, ...]) -> list[Issued]:
        """The collectives of one half of a compile: from the same stage on all ranks."""
        others = [items[item] for items in self._items.values() if item in items and items[item].facts is not None]
        for name in names:
            if name in one.texts and all(name in other.texts or not _has(other, names) for other in others):
                if name == "captured.py" and "DTensor(" in self._texts.text(one.texts[name]):
                    self.hidden.add(item[0].key)
                found = [each for each in one.texts if _is(each, name)]
                callers = one.texts.get(layout.CALLERS)
                return [
                    Issued(call, f"{one.path}/{each}")
                    for each in found
                    for call in self._read(one.texts[each], callers)
                ]
        return []

    def _read(self, number: int, callers: int | None) -> tuple[Call, ...]:
        if (number, callers) not in self._calls:
            self._calls[number, callers] = calls(self._texts.text(number), self._callers(callers))
        return self._calls[number, callers]

    def _callers(self, number: int | None) -> dict[str, tuple[Place, ...]]:
        """The lines of the program behind each line of torch's; none where they cannot be read."""
        try:
            found = Callers(()) if number is None else self._texts.value(number, Callers)
        except (ValueError, TypeError):
            return {}
        return {f"{one.torch.file}:{one.torch.line}": one.program for one in found.lines}


def _has(compile_: ReadCompile, names: tuple[str, ...]) -> bool:
    return any(name in compile_.texts for name in names)


def _is(name: str, first: str) -> bool:
    """Whether a file is of the kind of `first`: a second graph in one compile has a number."""
    stem, _, suffix = name.rpartition(".")
    return first == f"{without_number(stem)}.{suffix}"
