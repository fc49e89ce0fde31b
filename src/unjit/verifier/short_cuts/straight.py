"""One program along a piece of straight-line code, up to where control divides.

What an event leaves matters only in being the same on both sides, so both get one number for it: the original is run
first and its events are noted; then the candidate is run, and its events are compared with these.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.verifier.introspection import shows_locals
from unjit.verifier.machine.calls import called
from unjit.verifier.machine.displays import canonical_of, reachable, substituted
from unjit.verifier.machine.machine import Machine
from unjit.verifier.machine.micro import Act, Micro
from unjit.verifier.machine.outcomes import MANY_DISPLAYS, STOP, UNBOUND
from unjit.verifier.machine.program import OF_ITS_CODE, UNKNOWN, Binder
from unjit.verifier.machine.values import NULL, NULLABLE, Values
from unjit.verifier.operations import OPERATIONS
from unjit.verifier.operations.recipes import Fixed
from unjit.verifier.short_cuts.in_step import asked

END = -1
DIVIDES = v.JUMPS - v.UNCONDITIONAL_JUMPS
STORING = frozenset({Act.STORE})  # as a set, since a member of an enum takes long to look up before 3.12
ENDING = frozenset({Act.RETURN, Act.RAISE})
# Nothing is said here of the exception that is being handled: whatever changes it is for the walk.
NEVER_HERE = frozenset(
    {Act.HANDLE, Act.UNHANDLE, Act.RERAISE, Act.RERAISE_CURRENT, Act.NEXT, Act.SEND, Act.TAIL, Act.BRANCH, Act.JUMP}
)


# The kinds of instructions; those of the first six are nothing else, on every Python that has them.
_LOAD, _PUSH, _STORE, _UNBIND, _MOVE, _NOTHING, _STEPS, _ALIKE, _JUMP, _DIVIDE = range(10)
_KINDS = {
    (): _NOTHING,
    (Act.LOAD_BOUND,): _LOAD,
    (Act.PUSH_OWN,): _PUSH,
    (Act.STORE,): _STORE,
    (Act.REQUIRE_BOUND, Act.PUSH_NULL, Act.STORE): _UNBIND,
}
_ACTS = {op: tuple(step.act for step in recipe.steps) for op, recipe in OPERATIONS.items() if isinstance(recipe, Fixed)}


def _swap(stack: list[int], depth: int) -> None:
    stack[-1], stack[-depth] = stack[-depth], stack[-1]


# What instructions that only move values do to the stack, as deep as the argument says.
_MOVES: dict[str, Callable[[list[int], int], object]] = {
    **{op: lambda stack, _depth: stack.pop() for op, acts in _ACTS.items() if acts == (Act.POP,)},
    **{op: lambda stack, _depth: stack.append(NULL) for op, acts in _ACTS.items() if acts == (Act.PUSH_NULL,)},
    "COPY": lambda stack, depth: stack.append(stack[-depth]),
    "SWAP": _swap,
}
KINDS = {
    **dict.fromkeys(OPERATIONS, _ALIKE),
    **dict.fromkeys(OF_ITS_CODE, _STEPS),
    **{op: _KINDS[acts] for op, acts in _ACTS.items() if acts in _KINDS},
    **{op: _MOVE for op in _MOVES if op in OPERATIONS},
    **dict.fromkeys(DIVIDES, _DIVIDE),
    **dict.fromkeys(v.UNCONDITIONAL_JUMPS, _JUMP),
}
NEVER_SEEN = frozenset({UNKNOWN, UNBOUND})


_SOLE = frozenset({Act.EVENT, Act.GET_ITEM, Act.CALL})


@dataclass(slots=True, eq=False)
class _Sole:
    """The one step of an instruction, an event that shows nothing but its operands and locals."""

    micro: Micro
    has_null: bool  # whether the instruction pushes a NULL before: what a function is called with
    is_call: bool
    gets_item: bool


@functools.lru_cache(maxsize=1 << 14)
def _sole_event(op: str, arg: int, name: object) -> _Sole | None:
    """The sole event of an instruction that means the same in any code; None if it is anything else."""
    if op not in OPERATIONS:
        return None
    steps = OPERATIONS[op](Instr(op, arg, name, 0, None))
    has_null = len(steps) == 2 and steps[0].act is Act.PUSH_NULL
    micro = steps[-1] if len(steps) == 1 + has_null else None
    if micro is None or micro.act not in _SOLE or micro.reads or not _may_be_seen(micro, micro.key):
        return None
    return _Sole(micro, has_null, micro.act is Act.CALL, micro.act is Act.GET_ITEM)


def _may_be_seen(micro: Micro, key: tuple[object, ...]) -> bool:
    """Whether it is an event that straight-line code is followed through."""
    return not (micro.handles or key[0] in NEVER_SEEN or shows_locals(key))


class Unclear(Exception):
    """The two may differ, or it takes more than straight-line code to tell: the walk has to."""


# What is done, in a form equal on both sides; the numbers that its displays get once they are seen; its results.
Event = tuple[tuple[object, ...], Sequence[int], list[int]]


@dataclass(slots=True)
class Side:
    """One program and the state of its frame; the first `named` slots are locals of the original."""

    instrs: tuple[Instr, ...]
    binder: Binder
    named: int
    machine: Machine
    at: int = 0
    before: dict[int, int] = field(default_factory=dict)  # what the locals held that were stored since the last event

    def fork(self, at: int) -> Side:
        machine = self.machine.copy({}, dict(self.machine.displays))
        return Side(self.instrs, self.binder, self.named, machine, at)

    def changes(self) -> tuple[tuple[int, ...], Sequence[int]]:
        """Which locals of the original have another value than at the last event, and which they have."""
        if not self.before:
            return (), []
        slots, changed, values = self.machine.slots, [], []
        for slot in sorted(self.before):
            value = slots[slot]
            if value != self.before[slot]:
                changed.append(slot)
                values.append(value)
        return tuple(changed), values

    def view(self, operands: list[int]) -> tuple[tuple[object, ...], list[int]]:
        """What an event on these operands shows: in a form that is equal on both sides, and the displays in it."""
        slots, values = self.changes()
        roots, displays = [*operands, *values], self.machine.displays
        shown = reachable(displays, roots) if displays else []
        return (slots, canonical_of(displays, roots, shown) if shown else tuple(roots)), shown

    def drop_dead_displays(self) -> None:
        machine = self.machine
        held = reachable(machine.displays, [*machine.stack, *machine.operands, *machine.slots])
        machine.displays = {number: machine.displays[number] for number in held}

    def show(self, names: dict[int, int]) -> None:
        """Something else gets hold of displays: from now on nothing is known of them but which one is which."""
        machine = self.machine
        for numbers in (machine.stack, machine.slots):
            if not names.keys().isdisjoint(numbers):
                numbers[:] = [names.get(n, n) for n in numbers]
        machine.displays = substituted(machine.displays, names)


class Run:
    """One side along a piece of straight-line code: its events are noted, or without `notes` compared with these."""

    def __init__(self, side: Side, values: Values, noted: list[Event], *, notes: bool) -> None:
        self.side, self.machine, self.values = side, side.machine, values
        self.noted, self.notes = noted, notes
        self.count = 0  # of events
        self.many = MANY_DISPLAYS

    def go(self) -> None:
        """Run to where control divides or ends. Raises Unclear where the two differ, or what comes is not followed."""
        side, machine, instrs = self.side, self.machine, self.side.instrs
        binder, flags = side.binder, self.values.flags
        slot_at, constant_at = binder.slot_at, binder.constant_at
        stack, slots, at = machine.stack, machine.slots, side.at
        for _ in instrs:
            instr = instrs[at]
            kind = KINDS.get(instr.op, _STEPS)
            if kind >= _STEPS or instr.handler is not None:
                is_done = kind == _ALIKE and self._shows_no_display(instr)
                onward = at + 1 if is_done else self._onward(instr, at, kind)
                if onward is None:
                    return
                at = onward
                continue
            if kind == _LOAD:
                slot = slot_at.get(instr.arg)
                value = slots[binder.slot(instr) if slot is None else slot]
                if flags[value] & NULLABLE:
                    raise Unclear
                stack.append(value)
            elif kind == _PUSH:
                if instr.value is None and asked(instrs, at):
                    side.at = at
                    return
                number = constant_at.get(id(instr.value))
                stack.append(binder.constant(instr) if number is None else number)
            elif kind == _MOVE:
                _MOVES[instr.op](stack, instr.arg)
            elif kind != _NOTHING:
                slot = slot_at.get(instr.arg)
                self._change(binder.slot(instr) if slot is None else slot, unbind=kind == _UNBIND)
            at += 1
        raise Unclear  # a loop

    def _onward(self, instr: Instr, at: int, kind: int) -> int | None:
        """Do an instruction that is not simple: where control goes on; None where it divides or ends."""
        if kind == _DIVIDE or instr.handler is not None:
            self.side.at = at
            return None
        if kind == _JUMP and instr.target is not None:
            return instr.target
        machine = self.machine
        for step in self.side.binder.bind(instr, self.side.instrs):
            act = step.act
            if act in STORING:
                self._change(step.slot, unbind=False)
            elif act in NEVER_HERE or (outcome := step.do(machine, step)) < STOP:
                raise Unclear
            elif outcome == STOP:
                self._event(step.micro)
                if act in ENDING:
                    self.side.at = END
                    return None
        return at + 1

    def _change(self, slot: int, *, unbind: bool) -> None:
        """Store what is on top of the stack, or make the local unbound, which must be bound."""
        machine, before = self.machine, self.side.before
        held = machine.slots[slot]
        if slot < self.side.named and slot not in before:
            before[slot] = held
        if unbind and self.values.flags[held] & NULLABLE:
            raise Unclear
        machine.slots[slot] = NULL if unbind else machine.stack.pop()

    def _shows_no_display(self, instr: Instr) -> bool:
        """Do an instruction that is a sole event and shows no display; False, with nothing done, where it is not."""
        sole = _sole_event(instr.op, instr.arg, instr.value)
        if sole is None or instr.handler is not None:
            return False
        machine, side, micro = self.machine, self.side, sole.micro
        stack, displays = machine.stack, machine.displays
        bottom = len(stack) - micro.pops
        if bottom < 0:
            raise Unclear
        key, operands = (micro.key, stack[bottom:])
        if sole.is_call:
            key, operands = called(machine, micro, operands)
        elif sole.gets_item and (operands[0] in displays or operands[0] in self.values.objects):
            return False
        slots, values = side.changes() if side.before else ((), ())
        shown = (*operands, *values)
        if displays and not displays.keys().isdisjoint(shown):
            return False
        if sole.has_null:
            stack.append(NULL)
            bottom += 1
        stack[bottom:] = self._noted((key, slots, shown), 0, micro.results)[2]
        machine.keywords = NULL
        side.before.clear()
        self.count += 1
        return True

    def _event(self, micro: Micro) -> None:
        """Note the event that the machine has come to, or compare it with what was noted; continue after it."""
        side, machine = self.side, self.machine
        key = machine.key
        if not _may_be_seen(micro, key):
            raise Unclear
        slots, values = side.changes() if side.before else ((), ())
        shown = (*machine.operands, *values)
        if machine.displays and not machine.displays.keys().isdisjoint(shown):
            results = self._event_with_displays(micro)
        else:
            results = self._noted((key, slots, shown), 0, micro.results)[2]
        if micro.pops:
            del machine.stack[-micro.pops :]
        machine.stack += results
        machine.keywords = NULL
        side.before.clear()
        self.count += 1

    def _event_with_displays(self, micro: Micro) -> list[int]:
        """An event that shows displays, as operands or in locals that have changed."""
        side, machine = self.side, self.machine
        if len(machine.displays) > self.many:
            side.drop_dead_displays()
            self.many = MANY_DISPLAYS + 2 * len(machine.displays)
        seen, shown = side.view([*machine.operands])
        _, names, results = self._noted((machine.key, *seen), len(shown), micro.results)
        if shown:
            side.show(dict(zip(shown, names, strict=True)))
        return results

    def _noted(self, what: tuple[object, ...], shown: int, facts: tuple[int, ...]) -> Event:
        """The event `what`, which shows so many displays: a new one, or the one that was noted in its place.

        Raises Unclear if that is another.
        """
        if self.notes:
            symbol = self.values.symbol
            results = [symbol(facts[0])] if len(facts) == 1 else [symbol(fact) for fact in facts]
            event: Event = what, [symbol() for _ in range(shown)] if shown else (), results
            self.noted.append(event)
            return event
        if self.count == len(self.noted):
            raise Unclear
        event = self.noted[self.count]
        if event[0] != what or len(event[2]) != len(facts):
            raise Unclear
        return event
