"""Where both programs are at once."""

from __future__ import annotations

from dataclasses import dataclass

from unjit.verifier.machine.displays import Displays, Matching, reachable, substituted
from unjit.verifier.machine.machine import Machine
from unjit.verifier.machine.values import Values


@dataclass(slots=True)
class State:
    """All that is known at a place where paths meet: the value numbers of each side, and the displays among them."""

    left: list[int]
    right: list[int]
    displays: Displays

    def substituted(self, changes: dict[int, int]) -> State:
        left, right = ([changes.get(n, n) for n in numbers] for numbers in (self.left, self.right))
        return State(left, right, substituted(self.displays, changes))


@dataclass(slots=True)
class Pair:
    """The original's machine and the candidate's. They share numbers, displays, and what was learned since an event."""

    left: Machine
    right: Machine
    splits: int = 0  # cases told apart since the last event

    def copy(self) -> Pair:
        facts, displays = dict(self.left.facts), dict(self.left.displays)
        return Pair(self.left.copy(facts, displays), self.right.copy(facts, displays), self.splits)

    @property
    def machines(self) -> tuple[Machine, Machine]:
        return self.left, self.right

    @property
    def displays(self) -> Displays:
        return self.left.displays

    @displays.setter
    def displays(self, displays: Displays) -> None:
        self.left.displays = self.right.displays = displays

    def show(self, values: Values, matching: Matching) -> None:
        """Something else gets hold of the matched displays: each pair of them becomes one unknown value."""
        changes = {}
        for one, other in matching.matched.items():
            changes[one] = changes[other] = values.symbol()
        if changes:
            self.substitute(changes)

    def substitute(self, changes: dict[int, int]) -> None:
        """Something was learned about values: put what they are known to be in their place."""
        for machine in self.machines:
            machine.stack = [changes.get(n, n) for n in machine.stack]
            machine.slots = [changes.get(n, n) for n in machine.slots]
            machine.operands = [changes.get(n, n) for n in machine.operands]
            machine.handled = changes.get(machine.handled, machine.handled)
        facts = self.left.facts
        for fact, outcome in facts.items():
            facts[fact] = changes.get(outcome, outcome)
        self.displays = substituted(self.displays, changes)

    def forget(self) -> None:
        """Drop what was learned since the last event."""
        self.left.facts = self.right.facts = {}
        self.splits = self.left.decided = self.right.decided = 0

    def state(self) -> State:
        """All that is known now."""
        self.drop_dead_displays()
        left, right = map(_numbers, self.machines)
        return State(left, right, dict(self.displays))

    def drop_dead_displays(self) -> None:
        """Forget the displays that neither side holds any more."""
        if self.displays:
            left, right = map(_numbers, self.machines)
            self.displays = {n: self.displays[n] for n in reachable(self.displays, left + right)}

    def set_state(self, state: State) -> None:
        """Let what is known be this, of a pair at the same place."""
        for machine, numbers in ((self.left, state.left), (self.right, state.right)):
            depth = len(machine.stack)
            machine.stack, machine.slots = numbers[:depth], numbers[depth:-2]
            machine.handled, machine.keywords = numbers[-2:]
        self.displays = dict(state.displays)


def _numbers(machine: Machine) -> list[int]:
    """All that a machine holds."""
    return [*machine.stack, *machine.slots, machine.handled, machine.keywords]
