"""Two programs that do the same instruction by instruction, in whatever order and number their blocks lie.

From the same state, the same instruction leads to the same state. So both are followed at once, from their starts,
through pairs of places at which they are in the same state: where the two instructions are the same, the places that
they lead to are such pairs again. A test may be the opposite one where its two ways out are exchanged. Nothing is
known of values, and none has to be: what differs in more is for the walk (see `bisimulate`).
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import NamedTuple

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.verifier.bookkeeping import comparable_instrs
from unjit.verifier.machine.program import count_own, skipped_after
from unjit.verifier.operations import OPERATIONS
from unjit.verifier.short_cuts.identical import NO_EFFECT, Identities

Place = int  # the index of an instruction
Pairs = list[tuple[Place, Place]]
MOST_PAIRS = 3  # for each instruction of either program: blocks are copied, but not often


class _Test(NamedTuple):
    """A conditional jump that takes what it tests off the stack."""

    asks: str
    jumps_if: bool


_TESTS = {
    f"POP_JUMP_{way}IF_{word}": _Test(asks, jumps_if)
    for way in ("", "FORWARD_", "BACKWARD_")
    for word, (asks, jumps_if) in {
        "TRUE": ("truth", True),
        "FALSE": ("truth", False),
        "NONE": ("none", True),
        "NOT_NONE": ("none", False),
    }.items()
}
_TWO_WAYS = frozenset({"IS_OP", "CONTAINS_OP"})  # the argument says whether the opposite is asked
_NEVER_COMPARED = NO_EFFECT | v.UNCONDITIONAL_JUMPS
_GIVES_BOOL = frozenset({"TO_BOOL", "UNARY_NOT", "IS_OP", "CONTAINS_OP", "CHECK_EXC_MATCH"})
_TO_BOOL = 16  # in the argument of COMPARE_OP: the result is made True or False
_NOWHERE: Place = -1


class InStep:
    """One comparison; `same_code` says of two nested code objects whether they may stand for each other."""

    def __init__(self, identities: Identities, same_code: Callable[[CodeType, CodeType], bool]) -> None:
        self.argument = identities.argument
        self.same_code = same_code

    def same(self, original: CodeType, candidate: CodeType, at: Place = 0, there: Place = 0) -> bool:
        """Whether both do the same from these places on, if they come to them in the same state.

        What only the candidate has does not count there: nothing reads it. Raises BytecodeError where the bytes are
        not bytecode.
        """
        self.one, self.other = comparable_instrs(original), comparable_instrs(candidate)
        self.own = count_own(original), count_own(candidate)
        self.met: set[tuple[Place, Place]] = set()
        self.work: Pairs = [(at, there)]
        most = MOST_PAIRS * (len(self.one) + len(self.other))
        try:
            while self.work:
                if not self._follow(*self.work.pop()) or len(self.met) > most:
                    return False
        except IndexError:  # past the end of the code
            return False
        return True

    def _follow(self, at: Place, there: Place) -> bool:
        """Go on from one pair as long as control simply runs on; other ways out go on the list.

        False where the two may differ. Nothing is raised for that: debuggers stop where anything is, if asked to.
        """
        one, other, met = self.one, self.other, self.met
        while True:
            if one[at].op in _NEVER_COMPARED:
                at = _work_at(one, at)
            if other[there].op in _NEVER_COMPARED:
                there = _work_at(other, there)
            if at < 0 or there < 0:
                return False
            if (at, there) in met:
                return True
            met.add((at, there))
            first, second = one[at], other[there]
            if not self._protected(first, second):
                return False
            if first.op != second.op or not self._same_argument(first, second):
                return self._tests(at, there)
            if first.op in v.TERMINATORS:
                return True
            if not (first.target is second.target is None) and not self._jumps(first, second):
                return False
            at, there = at + 1, there + 1

    def _jumps(self, first: Instr, second: Instr) -> bool:
        """Pair where two jumps lead; whether both are jumps."""
        if first.target is None or second.target is None:
            return False
        if first.op == "FOR_ITER" and skipped_after(first, self.one) != skipped_after(second, self.other):
            return False
        self.work.append((first.target, second.target))
        return True

    def _protected(self, first: Instr, second: Instr) -> bool:
        """Exceptions go to a pair of places too, with as much left on the stack."""
        if first.handler is None or second.handler is None:
            return first.handler is second.handler  # most often none at all
        if (first.handler.depth, first.handler.lasti) != (second.handler.depth, second.handler.lasti):
            return False
        pair = first.handler.target, second.handler.target
        if pair not in self.met:
            self.work.append(pair)
        return True

    def _same_argument(self, first: Instr, second: Instr) -> bool:
        if first.op not in OPERATIONS:
            return False
        if isinstance(first.value, CodeType) and isinstance(second.value, CodeType):
            return self.same_code(first.value, second.value)
        return self.argument(first, self.own[0]) == self.argument(second, self.own[1])

    def _tests(self, at: Place, there: Place) -> bool:
        """Pair the ways out of two tests of one value, compiled differently; whether they are such."""
        first, second = asked(self.one, at), asked(self.other, there)
        if first is None or second is None or first.asks != second.asks:
            return False
        if first.asks == "truth" and first.jumps_if != second.jumps_if and not _tests_bool(self.one, at):
            return False
        if first.jumps_if == second.jumps_if:
            self.work += [(first.target, second.target), (first.after, second.after)]
        else:
            self.work += [(first.target, second.after), (first.after, second.target)]
        return True


def _tests_bool(instrs: tuple[Instr, ...], at: Place) -> bool:
    """Whether what the jump tests is True or False: from 3.13 on one for True may be no opposite of one for False."""
    before = instrs[at - 1]
    is_compared = before.op == "COMPARE_OP" and bool(before.arg & _TO_BOOL)
    return not v.PY313 or is_compared or before.op in _GIVES_BOOL


def _work_at(instrs: tuple[Instr, ...], at: Place) -> Place:
    """The index of the first effective instruction from here on; _NOWHERE where jumps lead in a circle."""
    for _ in instrs:
        instr = instrs[at]
        if instr.op not in _NEVER_COMPARED:
            return at
        at = at + 1 if instr.target is None else instr.target
    return _NOWHERE


class _Asked(NamedTuple):
    asks: str
    jumps_if: bool
    target: Place
    after: Place


def asked(instrs: tuple[Instr, ...], at: Place) -> _Asked | None:
    """The test at this place, which may be written out: a value is compared with None, then that is tested."""
    first = instrs[at]
    test = _TESTS.get(first.op)
    if test is not None:
        return None if first.target is None else _Asked(test.asks, test.jumps_if, first.target, at + 1)
    if first.op in _TWO_WAYS:
        return _asked_of_two(instrs, at, first.op)
    if first.op == "LOAD_CONST" and first.value is None and instrs[at + 1].op == "IS_OP":
        return _asked_of_two(instrs, at + 1, "none")
    return None


def _asked_of_two(instrs: tuple[Instr, ...], at: Place, asks: str) -> _Asked | None:
    """`is` or `in`, or the opposite of it, and a test of what that gives."""
    jump = instrs[at + 1]
    test = _TESTS.get(jump.op)
    if test is None or test.asks != "truth" or jump.target is None or instrs[at].arg > 1:
        return None
    return _Asked(asks, test.jumps_if != bool(instrs[at].arg), jump.target, at + 2)
