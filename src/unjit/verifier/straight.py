"""One program along a piece of straight code, up to where control divides.

All that counts of what an event leaves is that it is the same on both sides, so both get one number for it: the
original is run first and what it does is noted; then the candidate is, and held against that.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.verifier.displays import canonical, reachable, substituted
from unjit.verifier.in_step import asked
from unjit.verifier.machine import Machine
from unjit.verifier.micro import Act, Micro
from unjit.verifier.operations import OPERATIONS
from unjit.verifier.operations.recipes import Fixed
from unjit.verifier.outcomes import STOP, UNBOUND
from unjit.verifier.program import UNKNOWN, Binder, Step
from unjit.verifier.tails import INTROSPECTION
from unjit.verifier.values import NULL, NULLABLE, Values

END = -1
MANY_DISPLAYS = 16  # most of them dead
DIVIDES = v.JUMPS - v.UNCONDITIONAL_JUMPS
_SIMPLE_ACTS = frozenset({Act.LOAD_BOUND, Act.STORE, Act.PUSH_OWN})


def _is_simple(steps: tuple[Micro, ...]) -> bool:
    return len(steps) == 1 and steps[0].act in _SIMPLE_ACTS


ENDING = frozenset({Act.RETURN, Act.RAISE})
NEVER_HERE = frozenset({Act.RERAISE, Act.RERAISE_CURRENT, Act.NEXT, Act.SEND, Act.TAIL, Act.BRANCH, Act.JUMP})


# Operations that are one such step, on every Python that has them.
SIMPLE = {
    op: recipe.steps[0].act if recipe.steps else None
    for op, recipe in OPERATIONS.items()
    if isinstance(recipe, Fixed) and (not recipe.steps or _is_simple(recipe.steps))
}


class Unclear(Exception):
    """Straight code is not all that there is to it, or the two differ."""


# What one side is about to do; what displays are called once something else has seen them; the event's results.
Event = tuple[tuple[object, ...], list[int], list[int]]


@dataclass(slots=True)
class Side:
    """One program, and the frame that it has come to; the first `named` slots are locals of the original."""

    instrs: tuple[Instr, ...]
    binder: Binder
    named: int
    machine: Machine
    at: int = 0
    before: dict[int, int] = field(default_factory=dict)  # what the locals held that were stored since the last event

    def fork(self, at: int) -> Side:
        machine = self.machine.copy({}, dict(self.machine.displays))
        return Side(self.instrs, self.binder, self.named, machine, at)

    def changes(self) -> tuple[tuple[int, ...], list[int]]:
        """Which locals of the original have another value than at the last event, and which they have."""
        if not self.before:
            return (), []
        slots = self.machine.slots
        changed = sorted([slot for slot, value in self.before.items() if slots[slot] != value])
        return tuple(changed), [slots[slot] for slot in changed]

    def view(self, operands: list[int]) -> tuple[tuple[object, ...], list[int]]:
        """What an event that takes these shows: in a form that is the same for both sides, and the displays in it."""
        slots, values = self.changes()
        roots, displays = [*operands, *values], self.machine.displays
        shown = reachable(displays, roots) if displays else []
        return (slots, canonical(displays, roots) if shown else tuple(roots)), shown

    def drop_dead_displays(self) -> None:
        machine = self.machine
        held = reachable(machine.displays, [*machine.stack, *machine.operands, *machine.slots])
        machine.displays = {number: machine.displays[number] for number in held}

    def show(self, names: dict[int, int]) -> None:
        """Something else gets hold of displays: from now on nothing is known of them but which one is which."""
        machine = self.machine
        machine.stack = [names.get(n, n) for n in machine.stack]
        machine.slots = [names.get(n, n) for n in machine.slots]
        machine.displays = substituted(machine.displays, names)


class Run:
    """One side along a piece of straight code. With `notes`, what it does is noted; without, held against that."""

    def __init__(self, side: Side, values: Values, noted: list[Event], *, notes: bool) -> None:
        self.side, self.machine, self.values = side, side.machine, values
        self.noted, self.notes = noted, notes
        self.count = 0  # of events
        self.many = MANY_DISPLAYS

    def go(self) -> None:
        """Raises Unclear where the two differ, or what comes is not for straight code."""
        side, instrs = self.side, self.side.instrs
        at = side.at
        for _ in instrs:
            instr = instrs[at]
            op = instr.op
            if op in SIMPLE and instr.handler is None:
                if op == "LOAD_CONST" and instr.value is None and asked(instrs, at):
                    side.at = at
                    return
                self._simple(SIMPLE[op], instr)
            elif instr.handler is not None or op in DIVIDES:
                side.at = at
                return
            elif op in v.UNCONDITIONAL_JUMPS and instr.target is not None:
                at = instr.target
                continue
            elif not self._goes_on(side.binder.bind(instr, instrs)):
                side.at = END
                return
            at += 1
        raise Unclear  # a loop

    def _simple(self, act: Act | None, instr: Instr) -> None:
        """Put a constant or a local on the stack, or store what lies there."""
        machine = self.machine
        if act is Act.PUSH_OWN:
            machine.stack.append(self.side.binder.constant(instr))
        elif act is Act.LOAD_BOUND:
            value = machine.slots[self.side.binder.slot(instr)]
            if self.values.flags[value] & NULLABLE:
                raise Unclear
            machine.stack.append(value)
        elif act is Act.STORE:
            self._store(self.side.binder.slot(instr))

    def _store(self, slot: int) -> None:
        if slot < self.side.named:
            self.side.before.setdefault(slot, self.machine.slots[slot])
        self.machine.slots[slot] = self.machine.stack.pop()

    def _goes_on(self, steps: Iterable[Step]) -> bool:
        """Do one instruction; whether control goes on behind it."""
        for step in steps:
            act = step.act
            if act is Act.STORE:
                self._store(step.slot)
            elif act in NEVER_HERE:
                raise Unclear
            else:
                outcome = step.do(self.machine, step)
                if outcome == STOP:
                    self._event(step)
                    if act in ENDING:
                        return False
                elif outcome < 0:
                    raise Unclear
        return True

    def _event(self, step: Step) -> None:
        """The machine has come to an event: note it, or hold it against what was noted; go on behind it."""
        side, machine, micro = self.side, self.machine, step.micro
        key = machine.key
        if key[0] in (UNKNOWN, UNBOUND) or micro.handles or (key[0] == "load_global" and key[1] in INTROSPECTION):
            raise Unclear
        if len(machine.displays) > self.many:
            side.drop_dead_displays()
            self.many = MANY_DISPLAYS + 2 * len(machine.displays)
        what: tuple[object, ...]
        if machine.displays or side.before:
            seen, shown = side.view([*machine.operands])
            what = key, *seen
        else:
            what, shown = (key, (), tuple(machine.operands)), []
        _, names, results = self._noted(what, len(shown), micro.results)
        if shown:
            side.show(dict(zip(shown, names, strict=True)))
        side.before.clear()
        if micro.pops:
            del machine.stack[-micro.pops :]
        machine.stack += results
        machine.keywords = NULL
        self.count += 1

    def _noted(self, what: tuple[object, ...], shown: int, facts: tuple[int, ...]) -> Event:
        if self.notes:
            symbol = self.values.symbol
            event = what, [symbol() for _ in range(shown)] if shown else [], [symbol(fact) for fact in facts]
            self.noted.append(event)
            return event
        if self.count == len(self.noted):
            raise Unclear
        event = self.noted[self.count]
        if event[0] != what or len(event[2]) != len(facts):
            raise Unclear
        return event
