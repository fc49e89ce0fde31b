"""Where paths of the walk meet: one state for each place, weakened until it covers every path that comes by."""

from __future__ import annotations

import enum

from unjit.verifier.machine.values import NULL, Values
from unjit.verifier.walk.pair import Pair, State
from unjit.verifier.walk.weaken import covers, forget_displays, weaken

Place = tuple[object, ...]
MOST_VARIANTS = 256  # values of the candidate's own locals that are told apart at one pair of steps


class Kind(enum.Enum):
    """What both sides are about to do where they meet."""

    EVENT = enum.auto()
    SILENT_STEP = enum.auto()


class Meetings:
    """The places reached in one walk, and what is known there."""

    def __init__(self, values: Values, named: int) -> None:
        self.values = values
        self.named = named  # how many slots are locals of the original
        self._known: dict[Place, State] = {}
        self._departed: dict[Place, State] = {}
        self._variants: dict[Place, int] = {}

    def arrive(self, pair: Pair, kind: Kind) -> Place | None:
        """Weaken what is known where the pair is until it covers its state; the place, or None if it did so already."""
        self._forget_dead(pair)
        place = self._place(pair, kind)
        now, known = pair.state(), self._known.get(place)
        if known is None:
            self._known[place] = now
            return place
        if covers(self.values, known, now):
            return None
        if now.displays and covers(self.values, known, forget_displays(self.values, now)):
            return None
        self._known[place] = weaken(self.values, known, now)
        return place

    def depart(self, pair: Pair, place: Place) -> bool:
        """Give the pair what is known at the place; False where a pair that knew all that departed already."""
        known = self._known[place]
        if self._departed.get(place) is known:
            return False
        self._departed[place] = known
        pair.set_state(known)
        return True

    def _forget_dead(self, pair: Pair) -> None:
        """What the candidate's own variables hold does not count where it is never read."""
        right = pair.right
        if len(right.slots) == self.named:
            return
        live = right.program.live
        assert live is not None
        for slot in range(self.named, len(right.slots)):
            if not live.is_live(slot, right.pc):
                right.slots[slot] = NULL

    def _place(self, pair: Pair, kind: Kind) -> Place:
        """Where the pair is: the step and stack depth of both sides, and the constants that steer the candidate."""
        at = kind, *((machine.pc, len(machine.stack)) for machine in pair.machines)
        steering = tuple(n if self._steers(n) else NULL for n in pair.right.slots[self.named :])
        if (*at, steering) in self._known:
            return (*at, steering)
        self._variants[at] = self._variants.get(at, 0) + 1
        return (*at, steering) if self._variants[at] <= MOST_VARIANTS else at

    def _steers(self, number: int) -> bool:
        """Whether it is a constant int or bool, as selectors hold."""
        values = self.values
        return values.is_constant(number) and type(values.object(number)) in (int, bool)
