"""The instructions with which two programs end alike.

Most pairs differ in a few places. Where both programs come to the same instruction of an end that they share, in the
same state, they go on alike; so the walk need not follow them further. Nothing in such an end leads out of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType

from unjit.bytecode import Instr
from unjit.verifier.introspection import INTROSPECTION
from unjit.verifier.machine.program import count_own
from unjit.verifier.operations import OPERATIONS
from unjit.verifier.short_cuts.identical import Effective, Identities

SHORT = 8  # instructions: walking so few costs no more than setting them apart


@dataclass
class Tail:
    """An end of one code object: at which instruction it starts, and where each instruction is from the end."""

    start: int
    place: list[int]  # for each instruction, how many effective ones come before it
    count: int  # of all effective ones

    def to_end(self, index: int) -> int:
        """How many effective instructions there are from `index` on: equal at the same place of both programs."""
        return self.count - self.place[index]


def common_tails(identities: Identities, one: CodeType, other: CodeType) -> tuple[Tail, Tail] | None:
    """The longest such end, in each; None if it is short. Raises BytecodeError."""
    first, second = identities.effective_of(one), identities.effective_of(other)
    length = _Ends(identities, (one, first), (other, second)).length()
    return None if length <= SHORT else (_tail(first, length), _tail(second, length))


def _tail(effective: Effective, length: int) -> Tail:
    return Tail(effective.numbers[-length], effective.places(), len(effective.instrs))


class _Ends:
    def __init__(
        self, identities: Identities, one: tuple[CodeType, Effective], other: tuple[CodeType, Effective]
    ) -> None:
        self.identities = identities
        self.instrs = (one[1].instrs, other[1].instrs)
        self.own = (count_own(one[0]), count_own(other[0]))
        self.places = (one[1].places(), other[1].places())

    def length(self) -> int:
        """How many effective instructions at the end are the same in both, and lead to nothing before these."""
        found = furthest = 0
        for length, (one, other) in enumerate(zip(reversed(self.instrs[0]), reversed(self.instrs[1]), strict=False), 1):
            reach = self._reach(one, other)
            if reach is None:
                break
            furthest = max(furthest, reach)
            if furthest <= length:
                found = length
        return found

    def _reach(self, one: Instr, other: Instr) -> int | None:
        """How far from the end the furthest place lies that both lead to; None where they are not the same."""
        if one.op != other.op or one.op not in OPERATIONS:
            return None
        if isinstance(one.value, str) and one.value in INTROSPECTION:
            return None
        argument = self.identities.argument
        if argument(one, self.own[0]) != argument(other, self.own[1]):
            return None
        reach = 0
        for first, second in (one.target, other.target), _handlers(one, other):
            if first is None or second is None:
                if first is not second:
                    return None
            elif self._from_end(0, first) != self._from_end(1, second):
                return None
            else:
                reach = max(reach, self._from_end(0, first))
        return reach

    def _from_end(self, side: int, index: int) -> int:
        return len(self.instrs[side]) - self.places[side][index]


def _handlers(one: Instr, other: Instr) -> tuple[int | None, int | None]:
    """Where exceptions go; None and something else where handlers differ in more than their place."""
    first, second = one.handler, other.handler
    if first is None or second is None or (first.depth, first.lasti) != (second.depth, second.lasti):
        return (None, None) if first is second is None else (None, 0)
    return first.target, second.target
