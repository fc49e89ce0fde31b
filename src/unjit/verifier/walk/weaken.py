"""What two states have in common: the weakest knowledge that holds in both.

A state is value numbers and what is in the displays among them. One covers another if it only says about the slots
what the other says too: equal where it says equal, bound where it says bound, this constant where it says so, seen by
nobody and with these contents where it says so.
"""

from __future__ import annotations

from unjit.verifier.machine.displays import Displays, Matching, reachable
from unjit.verifier.machine.values import BOOL, EXCEPTION, INT, LASTI, NULL, NULLABLE, Values
from unjit.verifier.walk.pair import State

PROMISES = BOOL | EXCEPTION | LASTI | INT


def covers(values: Values, general: State, special: State) -> bool:
    """Whether the second state is an instance of the first."""
    instances = _Instances(values, general.displays, special.displays)
    return all(map(instances.holds, general.left + general.right, special.left + special.right))


class _Instances:
    """Which number of the special state each number of the general one stands for.

    A display stands for no other that anything else stands for: what it knows would not follow changes by that.
    """

    def __init__(self, values: Values, general: Displays, special: Displays) -> None:
        self.values = values
        self.general, self.special = general, special
        self.known: dict[int, int] = {}
        self.owners: dict[int, int] = {}

    def holds(self, general: int, special: int) -> bool:
        if general in self.known:
            return self.known[general] == special
        if special in self.special:
            owner = general if general in self.general else NULL
            if self.owners.setdefault(special, owner) != owner:
                return False
        if general in self.general:
            return self._holds_display(general, special)
        values = self.values
        term, other = values.terms[general], values.terms[special]
        if term[0] == "symbol":
            flags, found = values.flags[general], values.flags[special]
            self.known[general] = special
            promised = flags & PROMISES
            return found & promised == promised and not (found & NULLABLE and not flags & NULLABLE)
        if term[0] in WITHOUT_PARTS:
            return general == special
        # Also where the numbers are equal: a slot that holds a part may not be.
        return (
            term[0] == other[0]
            and all(
                self.holds(int(one), int(part))  # type: ignore[call-overload]
                for one, part in zip(term[1:], other[1:], strict=True)
            )
        )

    def _holds_display(self, general: int, special: int) -> bool:
        self.known[general] = special
        one, other = self.general[general], self.special.get(special)
        return other is not None and one.like(other) and all(map(self.holds, one.parts, other.parts))


WITHOUT_PARTS = ("null", "constant", "given")
# Terms that are weakened part by part; tests become just any True or False.
COMPOUND = ("method", "self", "traceback", "type")


def weaken(values: Values, one: State, other: State) -> State:
    """The state that covers both; where their displays differ in shape, nothing is known about any."""
    if one.displays or other.displays:
        try:
            return _Common(values, one.displays, other.displays).state(one, other)
        except _UnlikeDisplays:
            one, other = forget_displays(values, one), forget_displays(values, other)
    return _Common(values, {}, {}).state(one, other)


class _UnlikeDisplays(Exception):
    """Displays of the two states do not correspond one to one."""


class _Common:
    """What each pair of numbers, of the one state and of the other, has in common."""

    def __init__(self, values: Values, one: Displays, other: Displays) -> None:
        self.values = values
        self.one, self.other = one, other
        self.displays: Displays = {}
        self.pairs: dict[tuple[int, int], int] = {}
        self.partners: tuple[dict[int, int], dict[int, int]] = {}, {}

    def state(self, one: State, other: State) -> State:
        left = list(map(self.of, one.left, other.left))
        right = list(map(self.of, one.right, other.right))
        return State(left, right, self.displays)

    def of(self, one: int, other: int) -> int:
        found = self.pairs.get((one, other))
        if found is None:
            if one in self.one or other in self.other:
                return self._display(one, other)
            self.pairs[one, other] = found = self._value(one, other)
        return found

    def _display(self, one: int, other: int) -> int:
        first, second = self.one.get(one), self.other.get(other)
        if first is None or second is None or not first.like(second):
            raise _UnlikeDisplays
        if self.partners[0].setdefault(one, other) != other or self.partners[1].setdefault(other, one) != one:
            raise _UnlikeDisplays
        self.pairs[one, other] = found = self.values.symbol()
        self.displays[found] = first.replace(map(self.of, first.parts, second.parts))
        return found

    def _value(self, one: int, other: int) -> int:
        values = self.values
        term, second = values.terms[one], values.terms[other]
        if one == other and term[0] not in COMPOUND:
            return one
        if term[0] in COMPOUND and term[0] == second[0]:
            return values.part(str(term[0]), self.of(int(term[1]), int(second[1])))  # type: ignore[call-overload]
        both, either = values.flags[one] & values.flags[other], values.flags[one] | values.flags[other]
        return values.symbol(both & PROMISES | either & NULLABLE)


def forget_displays(values: Values, state: State) -> State:
    """Two displays that may be taken for one value become one; any other, a value that is equal to none."""
    displays = state.displays
    left, right = reachable(displays, state.left), reachable(displays, state.right)
    inner = {part for display in displays.values() for part in display.parts}
    matching = Matching(displays)
    for one in sorted(left, key=lambda number: (number in inner, number)):  # earlier made first
        if one not in matching.matched:
            _ = any(matching.attempt(one, other) for other in sorted(right) if other not in matching.taken)
    changes = {number: values.symbol() for number in (*left, *right)}
    for one, other in matching.matched.items():
        changes[other] = changes[one]
    return state.substituted(changes)
