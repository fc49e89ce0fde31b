"""Lists, tuples, dicts and slices that nothing outside the frame has seen, and what is in them.

While only the frame holds a display, making, changing and taking it apart cannot be seen. The first event that takes
it shows it: there both sides must have displays of the same contents, in the same places, and from then on each such
two are one value about which nothing is known any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

LIST, TUPLE, DICT, SLICE = "list", "tuple", "dict", "slice"


@dataclass(slots=True, unsafe_hash=True)  # never changed; `frozen` would make each cost three times as much
class Display:
    """What is in one: value numbers. A changed one is a new Display under its old number."""

    kind: str
    parts: tuple[int, ...]
    keys: tuple[object, ...] = ()  # of a dict, in order: no two kinds of them are equal

    def like(self, other: Display) -> bool:
        """Whether both differ in nothing but what the parts are."""
        return self.kind == other.kind and len(self.parts) == len(other.parts) and self.keys == other.keys

    def replace(self, parts: Iterable[int]) -> Display:
        return Display(self.kind, tuple(parts), self.keys)


Displays = dict[int, Display]


def reachable(displays: Displays, roots: Iterable[int]) -> list[int]:
    """The displays among `roots` and in them, each once."""
    found = list(dict.fromkeys([number for number in roots if number in displays]))
    seen = set(found)
    for number in found:
        for part in displays[number].parts:
            if part in displays and part not in seen:
                seen.add(part)
                found.append(part)
    return found


def references(displays: Displays, roots: Sequence[int], number: int) -> int:
    """How many places hold this number: roots, and parts of the displays reachable from them."""
    held = [displays[found].parts for found in reachable(displays, roots)]
    return roots.count(number) + sum(parts.count(number) for parts in held)


def canonical(displays: Displays, roots: Sequence[int]) -> tuple[object, ...]:
    """The same for two states exactly if they differ in nothing but the numbers of their displays."""
    return canonical_of(displays, roots, reachable(displays, roots))


def canonical_of(displays: Displays, roots: Sequence[int], order: list[int]) -> tuple[object, ...]:
    """The same where it is known already which displays can be reached, in their order."""
    name = {number: -1 - n for n, number in enumerate(order)}
    contents = tuple([displays[number].replace(_renamed(name, displays[number].parts)) for number in order])
    return _renamed(name, roots), contents


def _renamed(changes: Mapping[int, int], numbers: Iterable[int]) -> tuple[int, ...]:
    return tuple([changes.get(number, number) for number in numbers])


def substituted(displays: Displays, changes: Mapping[int, int]) -> Displays:
    """Without the displays that `changes` replaces, and with what replaces them in the others."""
    return {
        number: display.replace(_renamed(changes, display.parts)) if changes.keys() & display.parts else display
        for number, display in displays.items()
        if number not in changes
    }


class Matching:
    """Which display of the original is which one of the candidate: one to one, of the same contents."""

    def __init__(self, displays: Displays, matched: Mapping[int, int] | None = None) -> None:
        self.displays = displays
        self.matched = dict(matched or {})  # original's -> candidate's
        self.taken = {other: one for one, other in self.matched.items()}

    def same(self, one: int, other: int) -> bool:
        """Whether the two are, or may be taken for, the same value; notes which displays are by that."""
        if one == other:
            return True
        first, second = self.displays.get(one), self.displays.get(other)
        if first is None or second is None:
            return False
        if one in self.matched or other in self.taken:
            return self.matched.get(one) == other
        if not first.like(second):
            return False
        self.matched[one], self.taken[other] = other, one
        return all(map(self.same, first.parts, second.parts))

    def attempt(self, one: int, other: int) -> bool:
        """Like `same`, but notes nothing if the two are not."""
        trial = Matching(self.displays, self.matched)
        if not trial.same(one, other):
            return False
        self.matched, self.taken = trial.matched, trial.taken
        return True
