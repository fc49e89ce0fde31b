"""Where both programs are at once."""

from __future__ import annotations

from dataclasses import dataclass

from unjit.verifier.machine import Machine


@dataclass(slots=True)
class Pair:
    """The original's machine and the candidate's. They share value numbers, and what was learned since an event."""

    left: Machine
    right: Machine
    splits: int = 0  # cases told apart since the last event

    def copy(self) -> Pair:
        facts = dict(self.left.facts)
        return Pair(self.left.copy(facts), self.right.copy(facts), self.splits)

    @property
    def machines(self) -> tuple[Machine, Machine]:
        return self.left, self.right

    def substitute(self, changes: dict[int, int]) -> None:
        """Something was learned about values: put what they are known to be in their place."""
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
        self.splits = self.left.decided = self.right.decided = 0

    def state(self) -> list[int]:
        """All that is known, as one list of value numbers."""
        state: list[int] = []
        for machine in self.machines:
            state += [*machine.stack, *machine.slots, machine.handled, machine.keywords]
        return state

    def set_state(self, state: list[int]) -> None:
        at = 0
        for machine in self.machines:
            depth, count = len(machine.stack), len(machine.slots)
            machine.stack = state[at : at + depth]
            machine.slots = state[at + depth : at + depth + count]
            machine.handled, machine.keywords = state[at + depth + count : at + depth + count + 2]
            at += depth + count + 2
