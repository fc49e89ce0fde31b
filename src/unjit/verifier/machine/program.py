"""A code object as steps: recipes applied, slots and jump targets resolved, places where paths meet marked."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from types import CodeType
from typing import TYPE_CHECKING

from unjit.bytecode import Handler, Instr
from unjit.bytecode import versions as v
from unjit.bytecode.functions.frame import argument_names
from unjit.verifier.bookkeeping import comparable_instrs
from unjit.verifier.machine.actions import ACTIONS, Action
from unjit.verifier.machine.micro import Act, Micro
from unjit.verifier.machine.values import NULL, Values
from unjit.verifier.operations import OPERATIONS
from unjit.verifier.operations.recipes import Fixed

if TYPE_CHECKING:
    from unjit.verifier.walk.liveness import Live
    from unjit.verifier.walk.tails import Tail

Slot = tuple[str, str]  # ("local" | "cell", name)
UNKNOWN = "unknown"
TAIL = "go on alike"


@dataclass(slots=True)
class Step:
    """One micro-step of one instruction, bound to a program: `target` is a step, `slot` an index, `value` a number."""

    act: Act
    micro: Micro
    instr: Instr
    at: int
    do: Action
    handler: Handler | None = None  # with a step as target
    target: int = 0
    slot: int = 0
    value: int = 0
    is_join: bool = False  # reached from more than one place


@dataclass(slots=True)
class Program:
    """What the machine runs. Slots of the original come first in both programs, those the candidate adds after."""

    code: CodeType
    steps: list[Step]
    slots: list[Slot]
    entry: list[int]  # the number in each slot at the start
    generator_start: bool
    live: Live | None = None  # which slots may still be read; without it, all


class Slots:
    """Names of locals to indices, shared by the two programs: the original's first."""

    def __init__(self) -> None:
        self.index: dict[Slot, int] = {}

    def of(self, slot: Slot) -> int:
        return self.index.setdefault(slot, len(self.index))

    def add_all(self, code: CodeType) -> dict[int, int]:
        """Those of the code, added in their order; the index of each place of a local that instructions count."""
        index = self.index
        places = [index.setdefault(("local", name), len(index)) for name in code.co_varnames]
        for name in code.co_cellvars:
            index.setdefault((OWN_CELL, name), len(index))
        for name in code.co_freevars:
            index.setdefault(("cell", name), len(index))
        return dict(enumerate(places))


# A cell variable lies in the slot of the local of that name (3.11 and later), or in an array of its own.
OWN_CELL = "local" if "MAKE_CELL" in OPERATIONS else "cell"
COUNTED_APART = frozenset() if "MAKE_CELL" in OPERATIONS else v.CELL_OPS  # cells, where locals do not count them too


def count_own(code: CodeType) -> int:
    """How many of the slots that instructions count are locals and own cells; free variables come after."""
    return len({*code.co_varnames, *code.co_cellvars}) if code.co_cellvars else len(code.co_varnames)


def slot_of(own: int, instr: Instr) -> Slot:
    """The slot that an instruction of a code object with `own` own slots means."""
    name = str(instr.value)
    if "MAKE_CELL" in OPERATIONS:
        return ("local" if instr.arg < own else "cell"), name
    return ("cell" if instr.op in v.CELL_OPS else "local"), name


class Binder:
    """Binds the steps of instructions to one code object's slots and constants."""

    def __init__(self, code: CodeType, slots: Slots, values: Values) -> None:
        self.slots, self.values, self.own = slots, values, count_own(code)
        self.slot_at = slots.add_all(code)
        self.constant_at: dict[int, int] = {}

    def add_steps(self, instr: Instr, instrs: tuple[Instr, ...], steps: list[Step]) -> None:
        for micro in _steps_of(instr, instrs):
            act = micro.act
            step = Step(act, micro, instr, len(steps), ACTIONS[act])
            steps.append(step)
            if act in OF_SLOT:
                step.slot = self.slot(instr)
            elif act in OF_OWN_CONSTANT:
                step.value = self.values.constant(instr.value)
            elif act is Act.PUSH:
                step.value = self.values.constant(micro.value)

    def slot(self, instr: Instr) -> int:
        """The slot that the instruction is about."""
        place = ~instr.arg if instr.op in COUNTED_APART else instr.arg
        slot = self.slot_at.get(place)
        if slot is None:
            slot = self.slot_at[place] = self.slots.of(slot_of(self.own, instr))
        return slot

    def constant(self, instr: Instr) -> int:
        """The constant that the instruction names."""
        number = self.constant_at.get(id(instr.value))
        if number is None:
            number = self.constant_at[id(instr.value)] = self.values.constant(instr.value)
        return number

    def bind(self, instr: Instr, instrs: tuple[Instr, ...]) -> Sequence[Step]:
        """The steps of an instruction that is no jump, wherever it stands: `at` and `target` say nothing."""
        if instr.op in OPERATIONS and instr.op not in OF_ITS_CODE:
            return _bound_anywhere(instr.op, instr.arg, instr.value)
        steps: list[Step] = []
        self.add_steps(instr, instrs, steps)
        return steps


def lift(code: CodeType, slots: Slots, values: Values, tail: Tail | None = None) -> Program:
    """The program of `code`, up to its `tail`. Raises BytecodeError where the bytes are not bytecode."""
    instrs = comparable_instrs(code)
    after = len(instrs) if tail is None else tail.start
    steps: list[Step] = []
    starts: list[int] = []
    binder = Binder(code, slots, values)
    for instr in instrs[:after]:
        starts.append(len(steps))
        binder.add_steps(instr, instrs, steps)
    if tail is None:
        past = Micro(Act.UNKNOWN, (UNKNOWN, "code that runs past its end"))
        steps.append(Step(Act.UNKNOWN, past, instrs[-1], len(steps), ACTIONS[Act.UNKNOWN]))
        _resolve(steps[:-1], starts)
    else:
        count = len(steps)
        starts += _append_tail(steps, instrs, tail)
        _resolve(steps[:count], starts)
    _mark_joins(steps)
    starts_as_generator = bool(instrs) and instrs[0].op == "GEN_START"
    return Program(code, steps, list(slots.index), entry_of(code, slots, values), starts_as_generator)


def _append_tail(steps: list[Step], instrs: tuple[Instr, ...], tail: Tail) -> list[int]:
    """One step for each place at which the tail can be entered; for each of its instructions, which step stands for it.

    The first one is what control falls into; those that nothing leads to have none of their own.
    """
    entered = {tail.start}
    for instr in instrs[: tail.start]:
        if instr.target is not None:
            entered.add(instr.target)
        if instr.handler is not None:
            entered.add(instr.handler.target)
    starts, do = [], ACTIONS[Act.TAIL]
    for index in range(tail.start, len(instrs)):
        if index in entered:
            steps.append(Step(Act.TAIL, Micro(Act.TAIL, (TAIL, tail.to_end(index))), instrs[index], len(steps), do))
        starts.append(len(steps) - 1)
    return starts


def _steps_of(instr: Instr, instrs: tuple[Instr, ...]) -> tuple[Micro, ...]:
    recipe = OPERATIONS.get(instr.op)
    if recipe is None or not _is_modelled(instr, instrs):
        return (Micro(Act.UNKNOWN, (UNKNOWN, instr.op)),)
    return recipe.steps if isinstance(recipe, Fixed) else _named_steps(instr.op, instr.arg, instr.value)


@functools.lru_cache(maxsize=1 << 14)
def _named_steps(op: str, arg: int, name: object) -> tuple[Micro, ...]:
    """The steps of an instruction that are not always the same; none of these holds a constant."""
    return OPERATIONS[op](Instr(op, arg, name, 0, None))


@functools.lru_cache(maxsize=1 << 14)
def _bound_anywhere(op: str, arg: int, name: object) -> tuple[Step, ...]:
    """The same for an instruction whose steps need no slot and no constant of its code object."""
    instr = Instr(op, arg, name, 0, None)
    return tuple(Step(micro.act, micro, instr, 0, ACTIONS[micro.act]) for micro in OPERATIONS[op](instr))


def _needs_its_code(op: str) -> bool:
    """Whether an instruction means something of its code object besides a name: which one, its argument tells."""
    return op in v.LOCAL_OPS or op in v.CELL_OPS or op in v.CONST_OPS or op in v.JUMPS


OF_ITS_CODE = frozenset(filter(_needs_its_code, OPERATIONS))


def _is_modelled(instr: Instr, instrs: tuple[Instr, ...]) -> bool:
    """An exhausted loop skips what its target must be (3.12 and later); other targets are not modelled."""
    return instr.op != "FOR_ITER" or skipped_after(instr, instrs) == v.SKIPPED_AFTER_LOOPS


def skipped_after(loop: Instr, instrs: tuple[Instr, ...]) -> tuple[str, ...]:
    """The operations that the FOR_ITER of a loop skips once there is nothing left to loop over."""
    after = len(instrs) if loop.target is None else loop.target
    return tuple([i.op for i in instrs[after : after + len(v.SKIPPED_AFTER_LOOPS)]])


def _resolve(steps: list[Step], starts: list[int]) -> None:
    """Instructions as targets become steps, now that it is known where each starts."""
    handlers: dict[int, Handler] = {}  # one for each of the instructions' own
    for step in steps:
        instr = step.instr
        if step.micro.skip:
            step.target = step.at + step.micro.skip
        elif instr.target is not None:
            step.target = starts[instr.target]
        if instr.handler is not None:
            handler = handlers.get(id(instr.handler))
            if handler is None:
                target, depth, lasti = instr.handler.target, instr.handler.depth, instr.handler.lasti
                handler = handlers[id(instr.handler)] = Handler(starts[target], depth, lasti)
            step.handler = handler


OF_SLOT = frozenset({Act.LOAD, Act.LOAD_BOUND, Act.REQUIRE_BOUND, Act.STORE})
OF_OWN_CONSTANT = frozenset({Act.PUSH_OWN, Act.KEYWORDS})
FALLS_NOWHERE = frozenset({Act.JUMP, Act.RETURN, Act.RAISE, Act.RERAISE, Act.RERAISE_CURRENT, Act.TAIL, Act.UNKNOWN})
JUMPING = frozenset({Act.JUMP, Act.BRANCH, Act.NEXT, Act.SEND})


def successors(step: Step) -> list[int]:
    """Where control may go from a step, exceptions aside."""
    after = [] if step.act in FALLS_NOWHERE else [step.at + 1]
    return [*after, step.target] if step.act in JUMPING else after


def _mark_joins(steps: list[Step]) -> None:
    reached = [True] + [False] * (len(steps) - 1)
    for step in steps:
        act = step.act
        if act not in FALLS_NOWHERE:
            steps[step.at + 1].is_join |= reached[step.at + 1]
            reached[step.at + 1] = True
        if act in JUMPING:
            steps[step.target].is_join |= reached[step.target]
            reached[step.target] = True
        if step.handler is not None:
            steps[step.handler.target].is_join = True


def entry_of(code: CodeType, slots: Slots, values: Values) -> list[int]:
    """Arguments are bound, cells of enclosing functions exist (on 3.10 the own ones as well), nothing else does."""
    arguments = {*argument_names(code)}
    return [values.given(*slot) if slot[0] == "cell" or slot[1] in arguments else NULL for slot in slots.index]
