"""The actions that nothing outside the frame can see: they move value numbers about.

Each takes the machine and the step, and answers the index of the next step, or one of `outcomes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unjit.verifier.machine.outcomes import UNBOUND
from unjit.verifier.machine.values import BOOL, EXCEPTION, LASTI, NULL, NULLABLE

if TYPE_CHECKING:
    from unjit.verifier.machine.machine import Machine
    from unjit.verifier.machine.program import Step


def push(m: Machine, step: Step) -> int:
    m.stack.append(step.value)
    return step.at + 1


def push_null(m: Machine, step: Step) -> int:
    m.stack.append(NULL)
    return step.at + 1


def pop(m: Machine, step: Step) -> int:
    m.stack.pop()
    if len(m.stack) == m.tested_at:
        m.tested_at = -1
    return step.at + 1


def copy(m: Machine, step: Step) -> int:
    place = len(m.stack) - step.micro.count
    if place < 0:
        raise IndexError("the stack is too short")
    m.stack.append(m.stack[place])
    if place != m.tested_at:
        m.tested_at = -1
    return step.at + 1


def swap(m: Machine, step: Step) -> int:
    depth = step.micro.count
    m.stack[-1], m.stack[-depth] = m.stack[-depth], m.stack[-1]
    m.tested_at = -1
    return step.at + 1


def sink(m: Machine, step: Step) -> int:
    place = len(m.stack) - step.micro.count
    if place < 0:
        raise IndexError("the stack is too short")
    m.stack.insert(place, m.stack.pop())
    m.tested_at = -1
    return step.at + 1


def load(m: Machine, step: Step) -> int:
    m.stack.append(m.slots[step.slot])
    m.tested_at = -1  # it may be the same value: loaded again, it is asked again
    return step.at + 1


def load_bound(m: Machine, step: Step) -> int:
    value = m.slots[step.slot]
    if m.values.flags[value] & NULLABLE:
        return require_bound(m, step)
    m.stack.append(value)
    m.tested_at = -1
    return step.at + 1


def require_bound(m: Machine, step: Step) -> int:
    value = m.slots[step.slot]
    if value == NULL:
        return m.stop((UNBOUND, step.instr.value), ())
    if m.values.flags[value] & NULLABLE:
        return m.split(value)
    return step.at + 1


def store(m: Machine, step: Step) -> int:
    m.slots[step.slot] = m.stack.pop()
    if len(m.stack) == m.tested_at:
        m.tested_at = -1
    return step.at + 1


def negate(m: Machine, step: Step) -> int:
    m.stack[-1] = m.values.negation(_as_bool(m, m.stack[-1], False))
    return step.at + 1


def _as_bool(m: Machine, value: int, expected: bool) -> int:
    """A value whose truth nobody asks for, where True or False is expected: it counts as this only if it is this."""
    values = m.values
    if values.flags[value] & BOOL:
        return value
    is_expected = outcome_of(m, values.identity(value, values.true if expected else values.false))
    return is_expected if expected else values.negation(is_expected)


def identify(m: Machine, step: Step) -> int:
    one, other = m.stack[-2], m.stack[-1]
    if one in m.displays or other in m.displays:  # nothing else is what the frame has just made
        m.stack[-2:] = [m.values.constant(one == other)]
        return step.at + 1
    m.stack[-2:] = [outcome_of(m, m.values.identity(one, other))]
    return step.at + 1


def outcome_of(m: Machine, test: int) -> int:
    """The outcome of a test that asks nobody, where it has been decided on; else the test itself."""
    m.decided += test in m.facts
    return m.facts.get(test, test)


def split_method(m: Machine, step: Step) -> int:
    found = m.stack.pop()
    m.stack += [m.values.part("method", found), m.values.part("self", found)]
    return step.at + 1


def keywords(m: Machine, step: Step) -> int:
    m.keywords = step.value
    return step.at + 1


def jump(_: Machine, step: Step) -> int:
    return step.target


def branch(m: Machine, step: Step) -> int:
    test = m.stack[-1] = _as_bool(m, m.stack[-1], step.micro.sense)
    known = m.values.truth(test)
    if known is None:
        return m.split(test)
    m.stack.pop()
    return step.target if known is step.micro.sense else step.at + 1


def handle(m: Machine, step: Step) -> int:
    exception = m.stack[-1]
    m.stack[-1:] = [m.handled, exception]
    m.handled = exception
    return step.at + 1


def unhandle(m: Machine, step: Step) -> int:
    former = m.pop_exception()
    if former is None:
        return m.stop(("unknown", step.instr.op), ())
    m.handled = former
    m.blocks = m.blocks[:-1]
    return step.at + 1


def reraise(m: Machine, step: Step) -> int:
    exception = m.pop_exception() if _finds_place(m, step) else None
    if exception is None:
        return m.stop(("unknown", step.instr.op), ())
    return m.unwind(exception)


def _finds_place(m: Machine, step: Step) -> bool:
    """Whether the place of the failure lies where RERAISE looks for it, so far below the exception."""
    depth = step.micro.count
    return not depth or bool(m.values.flags[m.stack[-1 - depth]] & LASTI)


def reraise_current(m: Machine, step: Step) -> int:
    if m.values.flags[m.handled] & EXCEPTION:
        return m.unwind(m.handled)
    return m.stop(step.micro.key, (m.handled,))
