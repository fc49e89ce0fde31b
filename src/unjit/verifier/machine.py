"""One side of the comparison: runs the silent steps of a program up to the next event, on value numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Final

from unjit.verifier.micro import Act
from unjit.verifier.operations import EXCEPTIONS_ARE_TRIPLES
from unjit.verifier.program import Program, Step
from unjit.verifier.values import BOOL, EXCEPTION, NULL, NULLABLE, Values

# What a step answers instead of the next step's index.
STOP: Final = -1  # at an event, or at the end
SPLIT: Final = -2  # what happens next depends on the unknown value `pending`
PAUSED: Final = -3  # at a step where paths meet

Key = tuple[object, ...]
# What was learned since the last event: outcomes of identity tests by their number, and of truth tests, as
# ("truth", value), of values that were kept on the stack: CPython's compiler threads the jump to a second test of such
# a value past it where both are on one line, so that there being one or two is not for the program to rely on.
Facts = dict[object, int]
LEFT_BY_EXCEPTION: Final[Key] = ("leave by exception",)
FOREVER: Final[Key] = ("run forever",)
ENDLESS: Final[Key] = ("unknown", "so long a silent loop")
MOST_ROUNDS: Final = 100  # through as many steps as the program has, before giving up
UNBOUND: Final = "unbound"
COMPARISONS: Final[dict[object, Callable[[Any, Any], bool]]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
PLAIN: Final = (int, bool, str)


class Machine:
    """A frame whose slots hold value numbers.

    After `run` has answered STOP, `key` and `operands` say what the frame is about to do; `take` and `unwind` continue
    it in the ways that this can end.
    """

    __slots__ = (
        "blocks", "decided", "facts", "handled", "joined", "key", "keywords", "left_with", "operands", "pc", "pending",
        "program", "seen", "silent", "slots", "stack", "values",
    )  # fmt: skip

    def __init__(self, program: Program, values: Values, facts: Facts, handled: int) -> None:
        self.program = program
        self.values = values
        self.facts = facts  # both sides share them
        self.pc = 0
        self.stack: list[int] = [values.none] if program.generator_start else []
        self.slots = list(program.entry)
        self.handled = handled
        self.blocks: tuple[int, ...] = ()  # 3.10: stack depths of the handlers being run
        self.keywords = NULL
        self.left_with: int | None = None  # the exception that has left the frame
        self.key: Key = ()
        self.operands: Sequence[int] = ()
        self.pending = NULL
        self.joined = True  # whether paths meet somewhere since the last event
        self.silent = 0
        self.decided = 0  # identity tests of unknown values since the last event
        self.seen: set[object] = set()

    def copy(self, facts: Facts) -> Machine:
        twin = Machine.__new__(Machine)
        twin.program, twin.values, twin.facts, twin.seen = self.program, self.values, facts, set()
        twin.pc, twin.stack, twin.slots, twin.handled = self.pc, self.stack[:], self.slots[:], self.handled
        twin.blocks, twin.keywords, twin.left_with = self.blocks, self.keywords, self.left_with
        twin.key, twin.operands, twin.pending = self.key, self.operands, self.pending
        twin.joined, twin.silent, twin.decided = self.joined, self.silent, self.decided
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
                    if self._was_here(pc):
                        return self.stop(FOREVER, ())
                    if self.silent > MOST_ROUNDS * limit:
                        return self.stop(ENDLESS, ())
            self.silent += 1
            self.pc = pc
            pc = ACTIONS[step.act](self, step)
            if pc < 0:
                return pc

    def _was_here(self, pc: int) -> bool:
        """Silent steps only move a finite number of values about, so a loop of them comes back to itself."""
        here = (pc, tuple(self.stack), tuple(self.slots), self.handled)
        if here in self.seen:
            return True
        self.seen.add(here)
        return False

    def stop(self, key: Key, operands: Sequence[int]) -> int:
        self.key, self.operands = key, operands
        return STOP

    def split(self, pending: int) -> int:
        self.pending = pending
        self.decided += 1
        return SPLIT

    @property
    def step(self) -> Step:
        return self.program.steps[self.pc]

    # ------------------------------------------------------------ continuing after an event
    def resume(self) -> None:
        self.silent, self.decided, self.joined = 0, 0, False
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
            self.stack.append(self.values.symbol())
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
        """The exception on top of the stack; None where the entries there do not make one."""
        if not EXCEPTIONS_ARE_TRIPLES:
            return self.stack.pop()
        entries = self.stack[-3:]
        del self.stack[-3:]
        return entries[1] if entries == self._triple(entries[1]) else None


# ---------------------------------------------------------------- silent actions
Action = Callable[[Machine, Step], int]


def _push(m: Machine, step: Step) -> int:
    m.stack.append(step.value)
    return step.at + 1


def _push_null(m: Machine, step: Step) -> int:
    m.stack.append(NULL)
    return step.at + 1


def _dummy(m: Machine, step: Step) -> int:
    m.stack.append(m.values.symbol())
    return step.at + 1


def _pop(m: Machine, step: Step) -> int:
    m.stack.pop()
    return step.at + 1


def _copy(m: Machine, step: Step) -> int:
    m.stack.append(m.stack[-step.micro.count])
    return step.at + 1


def _swap(m: Machine, step: Step) -> int:
    depth = step.micro.count
    m.stack[-1], m.stack[-depth] = m.stack[-depth], m.stack[-1]
    return step.at + 1


def _sink(m: Machine, step: Step) -> int:
    top = m.stack.pop()
    m.stack.insert(len(m.stack) - step.micro.count + 1, top)
    return step.at + 1


def _reverse(m: Machine, step: Step) -> int:
    count = step.micro.count
    if count:
        m.stack[-count:] = m.stack[: -count - 1 : -1]
    return step.at + 1


def _load(m: Machine, step: Step) -> int:
    m.stack.append(m.slots[step.slot])
    return step.at + 1


def _load_bound(m: Machine, step: Step) -> int:
    value = m.slots[step.slot]
    if m.values.flags[value] & NULLABLE:
        return _require_bound(m, step)
    m.stack.append(value)
    return step.at + 1


def _require_bound(m: Machine, step: Step) -> int:
    value = m.slots[step.slot]
    if value == NULL:
        return m.stop((UNBOUND, step.instr.value), ())
    if m.values.flags[value] & NULLABLE:
        return m.split(value)
    return step.at + 1


def _store(m: Machine, step: Step) -> int:
    m.slots[step.slot] = m.stack.pop()
    return step.at + 1


def _not(m: Machine, step: Step) -> int:
    m.stack[-1] = m.values.negation(m.stack[-1])
    return step.at + 1


def _is(m: Machine, step: Step) -> int:
    one, other = m.stack[-2:]
    test = m.values.identity(one, other)
    m.decided += test in m.facts
    m.stack[-2:] = [m.facts.get(test, test)]
    return step.at + 1


def _split_method(m: Machine, step: Step) -> int:
    found = m.stack.pop()
    m.stack += [m.values.part("method", found), m.values.part("self", found)]
    return step.at + 1


def _keywords(m: Machine, step: Step) -> int:
    m.keywords = step.value
    return step.at + 1


def _jump(_: Machine, step: Step) -> int:
    return step.target


def _branch(m: Machine, step: Step) -> int:
    test = m.stack[-1]
    known = m.values.truth(test)
    if known is None:
        return m.split(test)
    m.stack.pop()
    return step.target if known is step.micro.sense else step.at + 1


def _handle(m: Machine, step: Step) -> int:
    exception = m.stack[-1]
    m.stack[-1:] = [m.handled, exception]
    m.handled = exception
    return step.at + 1


def _unhandle(m: Machine, step: Step) -> int:
    former = m.pop_exception()
    if former is None:
        return m.stop(("unknown", step.instr.op), ())
    m.handled = former
    m.blocks = m.blocks[:-1]
    return step.at + 1


def _reraise(m: Machine, step: Step) -> int:
    exception = m.pop_exception()
    if exception is None:
        return m.stop(("unknown", step.instr.op), ())
    return m.unwind(exception)


def _reraise_current(m: Machine, step: Step) -> int:
    if m.values.flags[m.handled] & EXCEPTION:
        return m.unwind(m.handled)
    return m.stop(step.micro.key, (m.handled,))


# ---------------------------------------------------------------- events
def _event(m: Machine, step: Step) -> int:
    micro, stack = step.micro, m.stack
    bottom = len(stack) - micro.pops
    if bottom < max(micro.reads, default=0):
        raise IndexError("the stack is too short")
    operands = stack[bottom:]
    for depth in micro.reads:
        operands.append(stack[bottom - depth])
    return m.stop(micro.key, operands)


def _truth(m: Machine, step: Step) -> int:
    value = m.stack[-1]
    if m.values.flags[value] & BOOL:
        return step.at + 1
    known = m.values.truth(value)
    test = m.facts.get(("truth", value)) if known is None else m.values.constant(known)
    if test is None:
        return m.stop(step.micro.key, (value,))
    m.stack[-1] = test
    return step.at + 1


def _compare(m: Machine, step: Step) -> int:
    """Comparisons of plain constants, such as those of a selector, are decided here."""
    values = m.values
    one, other = m.stack[-2:]
    compare = COMPARISONS.get(step.instr.value)
    if compare is None or not (values.is_constant(one) and values.is_constant(other)):
        return m.stop(step.micro.key, (one, other))
    left, right = values.object(one), values.object(other)
    if not (type(left) in PLAIN and type(left) is type(right)):
        return m.stop(step.micro.key, (one, other))
    m.stack[-2:] = [values.constant(compare(left, right))]
    return step.at + 1


def _tuple(m: Machine, step: Step) -> int:
    count, values = step.micro.pops, m.values
    parts = m.stack[len(m.stack) - count :]
    if not all(values.is_constant(part) for part in parts):
        return m.stop(step.micro.key, parts)
    del m.stack[len(m.stack) - count :]
    m.stack.append(values.constant(tuple(map(values.object, parts))))
    return step.at + 1


def _unpack(m: Machine, step: Step) -> int:
    top = m.stack[-1]
    whole = m.values.object(top) if m.values.is_constant(top) else None
    if type(whole) is not tuple or len(whole) != len(step.micro.results):
        return m.stop(step.micro.key, (top,))
    m.stack[-1:] = [m.values.constant(part) for part in reversed(whole)]
    return step.at + 1


def _const_map(m: Machine, step: Step) -> int:
    entries = m.stack[-step.micro.pops :]
    keys = m.values.object(entries[-1]) if m.values.is_constant(entries[-1]) else None
    if type(keys) is not tuple or len(keys) != len(entries) - 1:
        return m.stop(step.micro.key, entries)
    pairs = zip(map(m.values.constant, keys), entries, strict=False)
    return m.stop(("map",), [part for pair in pairs for part in pair])


def _call(m: Machine, step: Step) -> int:
    """Calls in one form, whichever way the callee was put on the stack: callee, keyword names, arguments."""
    layout, count = step.micro.key[1], step.micro.count
    entries = m.stack[-step.micro.pops :]
    keywords = m.keywords
    if layout in ("keywords", "null last, keywords"):
        keywords = entries.pop()
    if layout in ("function", "keywords"):
        return m.stop(("call", count), [keywords, *entries])
    one, two = entries[:2]
    arguments = entries[2:]
    if layout in ("null last", "null last, keywords"):
        absent, callee = two, one
    else:
        absent, callee = one, two
    return m.stop(*_called(m, one, two, absent, callee, [keywords], arguments))


def _called(
    m: Machine, one: int, two: int, absent: int, callee: int, keywords: list[int], arguments: list[int]
) -> tuple[Key, list[int]]:
    values = m.values
    first, second = values.terms[one], values.terms[two]
    if first[0] == "method" and second[0] == "self" and first[1] == second[1]:
        return ("call", len(arguments)), [*keywords, int(first[1]), *arguments]  # type: ignore[call-overload]
    if absent == NULL:
        return ("call", len(arguments)), [*keywords, callee, *arguments]
    if not values.flags[absent] & NULLABLE and not values.flags[one] & NULLABLE:
        return ("call", len(arguments) + 1), [*keywords, one, two, *arguments]
    return ("call", "either", len(arguments)), [*keywords, one, two, *arguments]


ACTIONS: Final[dict[Act, Action]] = {
    Act.PUSH: _push, Act.PUSH_NULL: _push_null, Act.DUMMY: _dummy, Act.POP: _pop, Act.COPY: _copy, Act.SWAP: _swap,
    Act.SINK: _sink, Act.REVERSE: _reverse, Act.LOAD: _load, Act.LOAD_BOUND: _load_bound,
    Act.REQUIRE_BOUND: _require_bound, Act.STORE: _store, Act.NOT: _not, Act.IS: _is,
    Act.SPLIT_METHOD: _split_method, Act.KEYWORDS: _keywords, Act.JUMP: _jump, Act.BRANCH: _branch,
    Act.HANDLE: _handle, Act.UNHANDLE: _unhandle, Act.RERAISE: _reraise, Act.RERAISE_CURRENT: _reraise_current,
    Act.EVENT: _event, Act.CALL: _call, Act.TRUTH: _truth, Act.COMPARE: _compare, Act.TUPLE: _tuple,
    Act.CONST_MAP: _const_map, Act.UNPACK: _unpack, Act.NEXT: _event, Act.SEND: _event, Act.RETURN: _event,
    Act.RAISE: _event, Act.UNKNOWN: _event,
}  # fmt: skip
