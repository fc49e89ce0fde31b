"""Do two programs do the same? A walk over both at once, event by event.

Both machines run silently to their next event; the two events must be the same one, on equal operands, with the same
locals under the same names and the same exception being handled. Then both continue in each way that the event can
end: with fresh equal results, or by raising. Where paths meet, what is known is weakened to what holds on all of
them, until nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType

from unjit.verifier.machine import FOREVER, LEFT_BY_EXCEPTION, PAUSED, SPLIT, UNBOUND, Facts, Machine
from unjit.verifier.micro import Act
from unjit.verifier.program import UNKNOWN, Program
from unjit.verifier.sentences import describe, operand_word
from unjit.verifier.values import EXCEPTION, NULL, NULLABLE, Values
from unjit.verifier.weaken import covers, weaken

SameCode = Callable[[CodeType, CodeType], bool]
Place = tuple[object, ...]
MOST_STATES = 100  # for each step of either program
# What shows the locals of a frame to the program itself.
INTROSPECTION = frozenset({"locals", "vars", "dir", "eval", "exec"})
MOST_VARIANTS = 256  # of the candidate's own constants at one pair of places, before they are no longer told apart


class Diverged(Exception):
    """The two programs may differ."""

    def __init__(self, sentence: str, offset: int | None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.offset = offset


@dataclass(slots=True)
class Pair:
    """Where both programs are."""

    left: Machine
    right: Machine
    splits: int = 0  # since the last event

    def copy(self) -> Pair:
        facts = dict(self.left.facts)
        return Pair(self.left.copy(facts), self.right.copy(facts), self.splits)

    @property
    def machines(self) -> tuple[Machine, Machine]:
        return self.left, self.right

    def substitute(self, changes: dict[int, int]) -> None:
        for machine in self.machines:
            machine.stack = [changes.get(n, n) for n in machine.stack]
            machine.slots = [changes.get(n, n) for n in machine.slots]
            machine.handled = changes.get(machine.handled, machine.handled)
        facts = self.left.facts
        for fact, outcome in facts.items():
            facts[fact] = changes.get(outcome, outcome)

    def forget(self) -> None:
        """Drop what was learned since the last event."""
        self.left.facts = self.right.facts = {}
        self.splits = 0


@dataclass
class Walk:
    """One comparison of an original (left) and a candidate (right)."""

    values: Values
    named: int  # how many slots are locals of the original; the candidate's own come after
    same_code: SameCode
    most_splits: int  # without an event in between, before paths are joined where they meet silently
    met_silently: bool = False
    reached: dict[Place, list[int]] = field(default_factory=dict)
    variants: dict[Place, int] = field(default_factory=dict)
    work: list[Pair] = field(default_factory=list)

    def run(self, left: Program, right: Program) -> None:
        """Raises Diverged where the two may differ."""
        handled, facts = self.values.given("handled", ""), Facts()
        self.work = [Pair(Machine(left, self.values, facts, handled), Machine(right, self.values, facts, handled))]
        budget = MOST_STATES * (len(left.steps) + len(right.steps))
        while self.work:
            pair = self.work.pop()
            budget -= 1
            if not budget:
                raise Diverged("there are too many paths to follow", None)
            if self._settle(pair) and self._is_news(pair):
                self._check(pair)
                self._continue(pair)

    # ------------------------------------------------------------ to the next event
    def _settle(self, pair: Pair) -> bool:
        """Run both sides to their events; where an unknown value decides, put both cases on the list instead."""
        left, right = pair.machines
        if pair.splits < self.most_splits:
            return self._advance(pair, left) and self._advance(pair, right)
        outcomes = left.run(right.decided), right.run(left.decided)
        if outcomes == (PAUSED, PAUSED):
            if left.decided == right.decided:
                self._meet_silently(pair)
            else:
                self.work.append(pair)
            return False
        return self._advance(pair, left) and self._advance(pair, right)

    def _advance(self, pair: Pair, machine: Machine) -> bool:
        if machine.run() == SPLIT:
            self._split(pair, machine.pending)
            return False
        return True

    def _meet_silently(self, pair: Pair) -> None:
        """Many tests without an event, such as those for defaults: join the paths before they multiply.

        Both sides have moved since they last paused, so a loop of such pauses is a silent loop of both.
        """
        self.met_silently = True
        if self._is_uncovered(pair, "silent"):
            pair.forget()
            for machine in pair.machines:
                machine.decided = 0
            self.work.append(pair)

    def _split(self, pair: Pair, pending: int) -> None:
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
                if values.terms[number][0] == "is":
                    twin.left.facts[number] = replacement
            self.work.append(twin)

    # ------------------------------------------------------------ where paths meet
    def _is_news(self, pair: Pair) -> bool:
        """Whether this event must be walked from here. It need not if paths meet and a state that covers it was."""
        left, right = pair.machines
        if not (left.joined or right.joined) or left.key in (LEFT_BY_EXCEPTION, FOREVER):
            return True
        places = left.pc, right.pc
        if not self._is_uncovered(pair, "event"):
            return False
        for machine in pair.machines:
            machine.run()
        assert places == (left.pc, right.pc), "knowing less moved an event"
        return True

    def _is_uncovered(self, pair: Pair, kind: str) -> bool:
        """Whether no state walked from this place covers this one; if so, this one is weakened to cover all."""
        left, right = pair.machines
        self._forget_dead(right)
        place = self._place(kind, left, right)
        now = _vector(pair)
        before = self.reached.get(place)
        if before is None:
            self.reached[place] = now
            return True
        if len(before) != len(now):
            raise Diverged("the stack is deeper on one path than on another", left.step.instr.offset)
        if covers(self.values, before, now):
            return False
        self.reached[place] = merged = weaken(self.values, before, now)
        _restore(pair, merged)
        pair.forget()
        return True

    def _forget_dead(self, right: Machine) -> None:
        live = right.program.live[right.pc]
        for slot in range(self.named, len(right.slots)):
            if not live >> slot & 1:
                right.slots[slot] = NULL

    def _place(self, kind: str, left: Machine, right: Machine) -> Place:
        """The two places, and the constants that steer the candidate: they make different places of one."""
        at = kind, left.pc, right.pc
        steering = tuple(n if self._steers(n) else NULL for n in right.slots[self.named :])
        if (*at, steering) not in self.reached:
            self.variants[at] = self.variants.get(at, 0) + 1
        return (*at, steering) if self.variants[at] <= MOST_VARIANTS else at

    def _steers(self, number: int) -> bool:
        values = self.values
        return values.is_constant(number) and type(values.object(number)) in (int, bool)

    # ------------------------------------------------------------ the same event on both sides
    def _check(self, pair: Pair) -> None:
        left, right = pair.machines
        offset = left.step.instr.offset
        for machine in pair.machines:
            if machine.key[0] == UNKNOWN:
                raise Diverged(f"cannot verify {machine.key[1]}", offset)
        if left.key[0] == "load_global" and left.key[1] in INTROSPECTION and len(right.slots) > self.named:
            raise Diverged(f"{left.key[1]} would show the variables that only the candidate has", offset)
        if left.key != right.key or len(left.operands) != len(right.operands):
            raise Diverged(f"the original would {describe(left)}, the candidate {describe(right)}", offset)
        for place, (one, other) in enumerate(zip(left.operands, right.operands, strict=True)):
            if one != other and not self._same_constant_code(one, other):
                raise Diverged(
                    f"both {describe(left)}, but {operand_word(place)} differ: "
                    f"{self._word(left, one)} and {self._word(right, other)}",
                    offset,
                )
        if left.slots[: self.named] != right.slots[: self.named]:
            raise Diverged(self._other_local(left, right), offset)
        if left.handled != right.handled:
            raise Diverged(f"another exception is being handled when both {describe(left)}", offset)

    def _same_constant_code(self, one: int, other: int) -> bool:
        first, second = self.values.code(one), self.values.code(other)
        return first is not None and second is not None and self.same_code(first, second)

    def _other_local(self, left: Machine, right: Machine) -> str:
        slot = next(n for n in range(self.named) if left.slots[n] != right.slots[n])
        name = left.program.slots[slot][1]
        return (
            f"the local {name!r} is {self._word(left, left.slots[slot])} in the original and "
            f"{self._word(right, right.slots[slot])} in the candidate when both {describe(left)}"
        )

    def _word(self, machine: Machine, number: int) -> str:
        """A value, in words: the constant, or a local that holds it."""
        if number == NULL:
            return "unbound"
        if self.values.is_constant(number):
            return f"{self.values.object(number)!r:.60}"
        for slot, held in enumerate(machine.slots):
            if held == number:
                return f"the value of {machine.program.slots[slot][1]!r}"
        return "a value on the stack"

    # ------------------------------------------------------------ the ways an event can end
    def _continue(self, pair: Pair) -> None:
        left, right = pair.machines
        if left.key in (LEFT_BY_EXCEPTION, FOREVER):
            return
        act = left.step.act
        if left.key[0] == UNBOUND or left.step.micro.raises:
            self._raise(pair.copy())
        if left.key[0] == UNBOUND or act in (Act.RETURN, Act.RAISE, Act.RERAISE_CURRENT):
            return
        if act in (Act.NEXT, Act.SEND):
            self._jump(pair.copy())
        self._succeed(pair)

    def _raise(self, pair: Pair) -> None:
        exception = self.values.symbol(EXCEPTION)
        if all(machine.step.handler is None for machine in pair.machines) and not pair.left.blocks:
            return  # it leaves both frames
        for machine in pair.machines:
            machine.resume()
            machine.unwind(exception)
        self._push(pair)

    def _jump(self, pair: Pair) -> None:
        """An iterator is exhausted, or what was sent into has returned."""
        returned = [self.values.symbol()]
        for machine in pair.machines:
            micro = machine.step.micro
            if micro.act is Act.NEXT:
                returned = [] if micro.count else [self.values.symbol()]
            machine.take(returned, jumps=True)
        self._push(pair)

    def _succeed(self, pair: Pair) -> None:
        micro = pair.left.step.micro
        results = [self.values.symbol(facts) for facts in micro.results]
        tested = pair.left.operands[0] if micro.act is Act.TRUTH else None
        for machine in pair.machines:
            if machine.step.micro.handles:
                machine.handled = results[-1]
            machine.take(results)
        pair.forget()
        if tested is not None and any(machine.stack[-2:-1] == [tested] for machine in pair.machines):
            pair.left.facts["truth", tested] = results[0]
        self.work.append(pair)

    def _push(self, pair: Pair) -> None:
        pair.forget()
        self.work.append(pair)


def _vector(pair: Pair) -> list[int]:
    vector: list[int] = []
    for machine in pair.machines:
        vector += [*machine.stack, *machine.slots, machine.handled, machine.keywords]
    return vector


def _restore(pair: Pair, vector: list[int]) -> None:
    at = 0
    for machine in pair.machines:
        depth, count = len(machine.stack), len(machine.slots)
        machine.stack = vector[at : at + depth]
        machine.slots = vector[at + depth : at + depth + count]
        machine.handled, machine.keywords = vector[at + depth + count : at + depth + count + 2]
        at += depth + count + 2
