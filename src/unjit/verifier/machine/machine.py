"""One side of the comparison: runs the silent steps of a program up to the next event, on value numbers."""

from __future__ import annotations

from collections.abc import Sequence

from unjit.verifier.machine.displays import Displays, canonical
from unjit.verifier.machine.outcomes import (
    ENDLESS,
    FOREVER,
    LEFT_BY_EXCEPTION,
    MOST_DISPLAYS,
    MOST_ROUNDS,
    PAUSED,
    SPLIT,
    STOP,
    Facts,
    Key,
)
from unjit.verifier.machine.program import Program, Step
from unjit.verifier.machine.values import LASTI, NULL, Values
from unjit.verifier.operations import EXCEPTIONS_ARE_TRIPLES


class Machine:
    """A frame whose slots hold value numbers.

    After `run` has answered STOP, `key` and `operands` say what the frame is about to do; `take` and `unwind` continue
    it in the ways that this can end.
    """

    __slots__ = (
        "blocks", "decided", "displays", "facts", "handled", "joined", "key", "keywords", "left_with",
        "operands", "pc", "pending", "program", "seen", "silent", "slots", "stack", "tested_at", "values",
    )  # fmt: skip

    def __init__(self, program: Program, values: Values, facts: Facts, displays: Displays, handled: int) -> None:
        self.program = program
        self.values = values
        self.facts, self.displays = facts, displays  # both sides share them
        self.pc = 0
        self.stack: list[int] = [values.none] if program.generator_start else []
        self.slots = list(program.entry)
        self.handled = handled
        self.blocks: tuple[int, ...] = ()  # 3.10: stack depths of the handlers being run
        self.keywords = NULL
        self.left_with: int | None = None  # the exception that has left the frame
        self.key: Key = ()
        self.operands: Sequence[int] = ()
        self.pending = NULL  # the unknown value that decides where `run` answered SPLIT
        self.joined = False  # whether paths meet somewhere since the last event
        self.silent = 0  # steps since the last event
        self.decided = 0  # identity tests of unknown values since the last event
        self.tested_at = -1  # where on the stack the value lies whose truth the last event tested, if it stayed there
        self.seen: set[object] = set()  # states since the last event, once there were many steps

    def copy(self, facts: Facts, displays: Displays) -> Machine:
        twin = Machine.__new__(Machine)
        twin.program, twin.values, twin.seen = self.program, self.values, set()
        twin.facts, twin.displays = facts, displays
        twin.pc, twin.stack, twin.slots, twin.handled = self.pc, self.stack[:], self.slots[:], self.handled
        twin.blocks, twin.keywords, twin.left_with = self.blocks, self.keywords, self.left_with
        twin.key, twin.operands, twin.pending = self.key, self.operands, self.pending
        twin.joined, twin.silent, twin.decided, twin.tested_at = self.joined, self.silent, self.decided, self.tested_at
        return twin

    # ------------------------------------------------------------ running
    def run(self, pause_after: int | None = None) -> int:
        """Continue up to the next event (STOP), or to where an unknown value decides (SPLIT).

        With `pause_after`, also stop where paths meet (PAUSED), once so many unknown values have been decided on.
        """
        if self.left_with is not None:
            self.key, self.operands = LEFT_BY_EXCEPTION, (self.left_with,)
            return STOP
        steps, pc, limit = self.program.steps, self.pc, 2 * len(self.program.steps) + 100
        start = pc
        while True:
            step = steps[pc]
            if step.is_join:
                self.joined = True
                if pause_after is not None and pc != start and self.decided >= pause_after:
                    self.pc = pc
                    return PAUSED
                if self.silent > limit:
                    self.pc = pc
                    if self._was_here(pc):  # a value that is tested for ever may change its mind
                        return self.stop(FOREVER if self.tested_at < 0 else ENDLESS, ())
                    if self.silent > MOST_ROUNDS * limit or len(self.displays) > MOST_DISPLAYS:
                        return self.stop(ENDLESS, ())
            self.silent += 1
            self.pc = pc
            pc = step.do(self, step)
            if pc < 0:
                return pc

    def _was_here(self, pc: int) -> bool:
        """Silent steps only move a finite number of values about, so a loop of them comes back to itself."""
        here = (pc, self.blocks, canonical(self.displays, [*self.stack, *self.slots, self.handled]))
        if here in self.seen:
            return True
        self.seen.add(here)
        return False

    def stop(self, key: Key, operands: Sequence[int]) -> int:
        """Answer STOP: the frame is about to do this."""
        self.key, self.operands = key, operands
        return STOP

    def split(self, pending: int) -> int:
        """Answer SPLIT: what is next depends on this value."""
        self.pending = pending
        self.decided += 1
        return SPLIT

    @property
    def step(self) -> Step:
        return self.program.steps[self.pc]

    def live_slots(self) -> list[int]:
        """What is in the slots that may still be read, or be seen from outside."""
        live = self.program.live
        return [n for slot, n in enumerate(self.slots) if live is None or live.is_live(slot, self.pc)]

    # ------------------------------------------------------------ continuing after an event
    def resume(self) -> None:
        """Forget what is counted from event to event: one has passed."""
        self.silent, self.decided, self.tested_at, self.joined = 0, 0, -1, False
        self.seen.clear()

    def take(self, results: Sequence[int], jumps: bool = False) -> None:
        """The event at hand succeeded with these results."""
        step = self.step
        micro = step.micro
        if micro.pops:
            del self.stack[-micro.pops :]
        if jumps and micro.count:
            self.stack.pop()
        self.stack.extend(results)
        self.keywords = NULL
        self.pc = step.target if jumps else step.at + 1
        self.resume()

    def unwind(self, exception: int) -> int:
        """An exception was raised by the step at hand: the index of its handler's first step, or STOP outside all."""
        handler = self.step.handler
        depth = handler.depth if handler else 0
        self.keywords = NULL
        self._leave_handlers(depth)
        if handler is None:
            self.left_with = exception
            return self.stop(LEFT_BY_EXCEPTION, (exception,))
        if not 0 <= depth <= len(self.stack):
            raise IndexError("the handler lies deeper than the stack")
        del self.stack[depth:]
        if handler.lasti:
            self.stack.append(self.values.symbol(LASTI))
        self._push_exception(exception, depth)
        self.pc = handler.target
        return handler.target

    def _leave_handlers(self, depth: int) -> None:
        """3.10: unwinding past a running handler makes its former exception the handled one again."""
        while self.blocks and self.blocks[-1] >= depth:
            self.handled = self.stack[self.blocks[-1] + 1]
            self.blocks = self.blocks[:-1]

    def _push_exception(self, exception: int, depth: int) -> None:
        if EXCEPTIONS_ARE_TRIPLES:
            self.stack += self._triple(self.handled) + self._triple(exception)
            self.handled = exception
            self.blocks = (*self.blocks, depth)
        else:
            self.stack.append(exception)

    def _triple(self, exception: int) -> list[int]:
        return [self.values.part("traceback", exception), exception, self.values.part("type", exception)]

    def pop_exception(self) -> int | None:
        """Take the exception off the stack; None, with nothing done, where the entries there do not make one."""
        if not EXCEPTIONS_ARE_TRIPLES:
            return self.stack.pop()
        entries = self.stack[-3:]
        if entries != self._triple(entries[1]):
            return None
        del self.stack[-3:]
        return entries[1]
