"""Do two programs do the same? A walk over both at once, event by event.

Both machines run silently to their next event; the two events must be the same one, on equal operands, with the same
locals under the same names and the same exception being handled. Then both continue in each way that the event can
end: with fresh equal results, or by raising. Where paths meet, what is known is weakened to what holds on all of
them, until nothing changes.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from types import CodeType

from unjit.bytecode.constants.shown import shown
from unjit.verifier.diverged import Diverged
from unjit.verifier.introspection import shows_locals
from unjit.verifier.machine.displays import Displays, Matching
from unjit.verifier.machine.machine import Machine
from unjit.verifier.machine.micro import Act
from unjit.verifier.machine.outcomes import (
    FOREVER,
    LEFT_BY_EXCEPTION,
    MANY_DISPLAYS,
    PAUSED,
    SPLIT,
    UNBOUND,
    Facts,
)
from unjit.verifier.machine.program import UNKNOWN, Program
from unjit.verifier.machine.values import EXCEPTION, NULL, NULLABLE, Values
from unjit.verifier.sentences import describe, in_words, operand_word
from unjit.verifier.walk.meetings import Kind, Meetings, Place
from unjit.verifier.walk.pair import Pair

SameCode = Callable[[CodeType, CodeType], bool]
MOST_STATES = 100  # for each step of either program
ENDS = (LEFT_BY_EXCEPTION, FOREVER)
ENDING = frozenset({Act.RETURN, Act.RAISE, Act.RERAISE_CURRENT, Act.TAIL})


class Walk:
    """One comparison of an original (left) and a candidate (right).

    `named` slots are locals of the original; the candidate's own come after. After `most_splits` cases were told
    apart without an event, paths are joined where both sides come to a step where paths meet.
    """

    def __init__(self, values: Values, named: int, same_code: SameCode, most_splits: int) -> None:
        self.values = values
        self.named = named
        self.same_code = same_code
        self.most_splits = most_splits
        self.met_silently = False
        self.at_tail = False  # whether the last event was that one of the two came to a shared end
        self._meetings = Meetings(values, named)
        # Earlier steps first, so that all paths to a meeting arrive before one departs from it.
        self._work: list[tuple[int, int, Pair, Place | None]] = []
        self._pushed = 0

    def run(self, left: Program, right: Program) -> None:
        """Raises Diverged where the two may differ."""
        handled, facts = self.values.given("handled", ""), Facts()
        displays: Displays = {}
        first, second = (Machine(program, self.values, facts, displays, handled) for program in (left, right))
        self._push(Pair(first, second))
        budget = MOST_STATES * (len(left.steps) + len(right.steps))
        while self._work:
            if self._pushed > budget:
                raise Diverged("there are too many paths to follow", None)
            *_, pair, place = heapq.heappop(self._work)
            following = pair if place is None else self._depart(pair, place)
            while following is not None:
                following = self._follow(following)

    def _push(self, pair: Pair, place: Place | None = None) -> None:
        self._pushed += 1
        heapq.heappush(self._work, (pair.left.pc, self._pushed, pair, place))

    # ------------------------------------------------------------ to the next event
    def _follow(self, pair: Pair) -> Pair | None:
        """Run both sides to their next event and past it: the pair to go on with, if any; other cases are queued."""
        left, right = pair.machines
        if pair.splits >= self.most_splits:
            outcomes = left.run(right.decided), right.run(left.decided)
            if outcomes == (PAUSED, PAUSED):
                self._pause(pair)
                return None
        for machine in pair.machines:
            if machine.run() == SPLIT:
                self._split(pair, machine.pending)
                return None
        if (left.joined or right.joined) and not (left.key in ENDS or right.key in ENDS):
            if pair.displays:
                self._check(pair)
            self._arrive(pair, Kind.EVENT)
            return None
        return self._perform(pair)

    def _pause(self, pair: Pair) -> None:
        """Many tests without an event, such as those for defaults: join the paths before they multiply.

        Both sides have moved since they last paused, so a loop of such pauses is a silent loop of both.
        """
        if pair.left.decided == pair.right.decided:
            self.met_silently = True
            self._arrive(pair, Kind.SILENT_STEP)
        else:
            self._push(pair)

    def _arrive(self, pair: Pair, kind: Kind) -> None:
        """Join the pair with what else came to its place, to depart from there once all have."""
        place = self._meetings.arrive(pair, kind)
        if place is not None:
            self._push(pair, place)

    def _depart(self, pair: Pair, place: Place) -> Pair | None:
        if not self._meetings.depart(pair, place):
            return None
        pair.forget()
        if place[0] is Kind.SILENT_STEP:
            return self._follow(pair)
        at = pair.left.pc, pair.right.pc
        for machine in pair.machines:
            machine.run()
        assert at == (pair.left.pc, pair.right.pc), "knowing less must not move an event"
        return self._perform(pair)

    def _perform(self, pair: Pair) -> Pair | None:
        """Compare the events of both sides, and continue after them. Raises Diverged where they differ."""
        self._check(pair)
        return self._continue(pair)

    def _split(self, pair: Pair, pending: int) -> None:
        """Queue a pair for each value that `pending` may have: bound or not, or true and false."""
        values = self.values
        if values.flags[pending] & NULLABLE:
            cases = [{pending: NULL}, {pending: values.symbol()}]
        else:
            negated = values.negation(pending)
            cases = [
                {pending: values.true, negated: values.false},
                {pending: values.false, negated: values.true},
            ]
        for case in cases:
            twin = pair.copy()
            twin.splits += 1
            twin.substitute(case)
            for number, replacement in case.items():
                if values.can_be_asked_again(number):
                    twin.left.facts[number] = replacement
            self._push(twin)

    # ------------------------------------------------------------ the same event on both sides
    def _check(self, pair: Pair) -> None:
        """Raises Diverged unless both sides are about to do the same, on equal operands and with equal locals."""
        left, right = pair.machines
        offset = left.step.instr.offset
        self.at_tail = any(machine.step.act is Act.TAIL for machine in pair.machines)
        for machine in pair.machines:
            if machine.key[0] == UNKNOWN:
                raise Diverged(f"cannot verify {machine.key[1]}", offset)
        if len(right.slots) > self.named and shows_locals(left.key):
            raise Diverged(f"{left.key[1]} would show the variables that only the candidate has", offset)
        if left.key != right.key or len(left.operands) != len(right.operands):
            raise Diverged(f"the original would {describe(left)}, the candidate {describe(right)}", offset)
        matching = Matching(pair.displays)
        if left.operands != right.operands:
            self._match_operands(left, right, matching)
        if left.slots != right.slots[: self.named]:
            self._match_locals(left, right, matching)
        if left.handled != right.handled:
            raise Diverged(f"another exception is being handled when both {describe(left)}", offset)
        pair.show(self.values, matching)

    def _match_operands(self, left: Machine, right: Machine, matching: Matching) -> None:
        for place, (one, other) in enumerate(zip(left.operands, right.operands, strict=True)):
            if not (matching.same(one, other) or self._same_constant_code(one, other)):
                raise Diverged(
                    f"both {describe(left)}, but {operand_word(place)} differ: "
                    f"{self._word(left, one)} and {self._word(right, other)}",
                    left.step.instr.offset,
                )

    def _match_locals(self, left: Machine, right: Machine, matching: Matching) -> None:
        for slot in range(self.named):
            if not matching.same(left.slots[slot], right.slots[slot]):
                raise Diverged(self._other_local(left, right, slot), left.step.instr.offset)

    def _same_constant_code(self, one: int, other: int) -> bool:
        first, second = self.values.code(one), self.values.code(other)
        return first is not None and second is not None and self.same_code(first, second)

    def _other_local(self, left: Machine, right: Machine, slot: int) -> str:
        name = left.program.slots[slot][1]
        return (
            f"the local {name!r} is {self._word(left, left.slots[slot])} in the original and "
            f"{self._word(right, right.slots[slot])} in the candidate when both {describe(left)}"
        )

    def _word(self, machine: Machine, number: int) -> str:
        """A value, in words: the constant, or a local that holds it."""
        if number == NULL:
            return "unbound"
        if number in machine.displays:
            return in_words(machine.displays[number])
        if self.values.is_constant(number):
            return f"{shown(self.values.object(number), 60):.60}"
        for slot, held in enumerate(machine.slots):
            if held == number:
                return f"the value of {machine.program.slots[slot][1]!r}"
        return "a value on the stack"

    # ------------------------------------------------------------ the ways an event can end
    def _continue(self, pair: Pair) -> Pair | None:
        """Queue the ways in which the event does not succeed; gives the pair with which it does, if it can."""
        left = pair.left
        if left.key in ENDS:
            return None
        if len(pair.displays) > MANY_DISPLAYS:
            pair.drop_dead_displays()
        act, is_unbound = left.step.act, left.key[0] == UNBOUND
        if is_unbound or left.step.micro.raises:
            self._raise(pair)
        if is_unbound or act in ENDING:
            return None
        if act in (Act.NEXT, Act.SEND):
            self._jump(pair.copy())
        self._succeed(pair)
        return pair

    def _raise(self, pair: Pair) -> None:
        """Queue the pair for which the event raises."""
        if all(machine.step.handler is None and not machine.blocks for machine in pair.machines):
            return  # it leaves both frames
        twin = pair.copy()
        exception = self.values.symbol(EXCEPTION)
        for machine in twin.machines:
            machine.resume()
            machine.unwind(exception)
        twin.forget()
        self._push(twin)

    def _jump(self, pair: Pair) -> None:
        """An iterator is exhausted, or what was sent into has returned."""
        micro = pair.left.step.micro
        returned = [] if micro.act is Act.NEXT and micro.count else self._results(pair.left)
        for machine in pair.machines:
            machine.take(returned, jumps=True)
        pair.forget()
        self._push(pair)

    def _results(self, machine: Machine) -> list[int]:
        """New values. On 3.15 the first is where a loop is in its iterator: if that was NULL, it stays so."""
        micro = machine.step.micro
        results = [self.values.symbol(facts) for facts in micro.results]
        if micro.act in (Act.NEXT, Act.SEND) and len(results) > 1 and machine.operands[0] == NULL:
            results[0] = NULL
        return results

    def _succeed(self, pair: Pair) -> None:
        micro = pair.left.step.micro
        results = self._results(pair.left)
        tested = pair.left.operands[0] if micro.act is Act.TRUTH else None
        for machine in pair.machines:
            if machine.step.micro.handles:
                machine.handled = results[-1]
            machine.take(results)
        pair.forget()
        for machine in pair.machines if tested is not None else ():
            if machine.stack[-2:-1] == [tested]:
                machine.tested_at = len(machine.stack) - 2
                pair.left.facts["truth", tested] = results[0]
