"""The verdict on two code objects."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from types import CodeType

from unjit.bytecode import BytecodeError
from unjit.verifier.diverged import Diverged
from unjit.verifier.header import header_difference
from unjit.verifier.machine.program import Slots, lift
from unjit.verifier.machine.values import Values
from unjit.verifier.short_cuts.identical import Identities
from unjit.verifier.short_cuts.in_step import InStep
from unjit.verifier.short_cuts.strands import Strands
from unjit.verifier.walk.bisimulate import Walk
from unjit.verifier.walk.liveness import Live
from unjit.verifier.walk.tails import Tail, common_tails

# How many silent tests in a row are told apart, 2 ** n paths: at first, and where joining them lost too much.
FEW_SPLITS, MANY_SPLITS = 6, 12


class Verdict(enum.Enum):
    """What the verifier found."""

    IDENTICAL = "identical"  # the same instructions, whatever their lines
    EQUIVALENT = "equivalent"  # proved to do the same
    DIFFERENT = "different"  # may differ: nothing was proved

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Comparison:
    """A verdict; where it is DIFFERENT, why, and the offset in the original of the first instruction that differs."""

    verdict: Verdict
    difference: str | None = None
    offset: int | None = None


def compare(original: CodeType, candidate: CodeType) -> Comparison:
    """Whether `candidate` can stand in for `original`.

    Raises UnsupportedPython on an interpreter without tables; anything else that cannot be followed is DIFFERENT.
    """
    return Comparer().compare(original, candidate, nested=False)


class _AtTail(Exception):
    """The two differ only in what is known where one of them comes to the end that they share."""


class Comparer:
    """Compares code objects, and those nested in them; remembers the comparison of each pair."""

    def __init__(self, *, trust_identity: bool = True) -> None:
        self.trust_identity = trust_identity  # False in tests: to walk what is known to be the same
        self.identities = Identities()
        self._answers: dict[tuple[int, int, bool], Comparison] = {}
        self._compared: list[CodeType] = []  # kept alive, since they are told by their ids

    def compare(self, original: CodeType, candidate: CodeType, nested: bool) -> Comparison:
        """As `compare`; of `nested` code the name and docstring count as well (see `header_difference`)."""
        key = id(original), id(candidate), nested
        known = self._answers.get(key)
        if known is None:
            self._compared += original, candidate
            known = self._answers[key] = self._compare(original, candidate, nested)
        return known

    def _compare(self, original: CodeType, candidate: CodeType, nested: bool) -> Comparison:
        try:
            difference = header_difference(original, candidate, nested=nested)
            if difference:
                return Comparison(Verdict.DIFFERENT, difference)
            if self.trust_identity and self.identities.same(original, candidate):
                return Comparison(Verdict.IDENTICAL)
            if not (self.trust_identity and self._goes_alike(original, candidate)):
                self._walk(original, candidate)
        except Diverged as diverged:
            return Comparison(Verdict.DIFFERENT, diverged.sentence, diverged.offset)
        except BytecodeError as error:
            return Comparison(Verdict.DIFFERENT, f"cannot be read: {error}")
        except IndexError:  # no compiler writes code that takes more from the stack than lies there
            return Comparison(Verdict.DIFFERENT, "cannot be followed: an instruction finds too little on the stack")
        except RecursionError:
            return Comparison(Verdict.DIFFERENT, "cannot be followed: constants are nested too deeply")
        return Comparison(Verdict.EQUIVALENT)

    def _goes_alike(self, original: CodeType, candidate: CodeType) -> bool:
        """Whether a short cut shows that both do the same: if none does, the walk has to tell."""
        in_step = InStep(self.identities, self._same)
        return in_step.same(original, candidate) or Strands(in_step).same(original, candidate)

    def _walk(self, original: CodeType, candidate: CodeType) -> None:
        tails = common_tails(self.identities, original, candidate) if self.trust_identity else None
        if tails is not None:
            try:
                self._walk_to(original, candidate, *tails)
            except _AtTail:  # further on, both may know the same again: walk through the end as well
                tails = None
        if tails is None:
            self._walk_to(original, candidate)

    def _walk_to(
        self, original: CodeType, candidate: CodeType, end: Tail | None = None, other_end: Tail | None = None
    ) -> None:
        """Walk both, up to the ends that they share."""
        values, slots = Values(), Slots()
        left = lift(original, slots, values, end)
        named = len(slots.index)
        right = lift(candidate, slots, values, other_end)
        if len(slots.index) > named:
            right.live = Live(right, named)
        for splits in (FEW_SPLITS, MANY_SPLITS):
            walk = Walk(values, named, self._same, splits)
            try:
                walk.run(left, right)
            except Diverged as diverged:
                if walk.at_tail:
                    raise _AtTail from diverged
                if splits == MANY_SPLITS or not walk.met_silently:
                    raise
            else:
                return

    def _same(self, one: CodeType, other: CodeType) -> bool:
        return self.compare(one, other, nested=True).verdict is not Verdict.DIFFERENT
