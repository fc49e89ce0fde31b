"""The actions that another observer could see: each answers STOP, with `key` and `operands` saying what is to be done.

Not so where the outcome is known, as of tests and comparisons of constants, or tests of displays: that is silent.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from unjit.verifier.machine.displays import SLICE
from unjit.verifier.machine.outcomes import STOP
from unjit.verifier.machine.silent import outcome_of
from unjit.verifier.machine.values import BOOL, INT

if TYPE_CHECKING:
    from unjit.verifier.machine.machine import Machine
    from unjit.verifier.machine.program import Step

COMPARISONS: Final[dict[object, Callable[[Any, Any], bool]]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
PLAIN: Final = (int, bool, str)


def event(m: Machine, step: Step) -> int:
    """What the step's `key` says, on the entries that it pops and reads."""
    micro, stack = step.micro, m.stack
    bottom = len(stack) - micro.pops
    if bottom < (max(micro.reads) if micro.reads else 0):
        raise IndexError("the stack is too short")
    m.key, m.operands = micro.key, stack[bottom:]
    if micro.reads:
        m.operands += [stack[bottom - depth] for depth in micro.reads]
    return STOP


def tail(m: Machine, step: Step) -> int:
    """Both programs go on alike from here: an event on the whole state."""
    return m.stop((*step.micro.key, m.blocks), [*m.stack, m.keywords])


def truth(m: Machine, step: Step) -> int:
    """`bool()` of the top of the stack."""
    value = m.stack[-1]
    if m.values.flags[value] & BOOL:
        return step.at + 1
    display = m.displays.get(value)
    known = m.values.truth(value) if display is None else display.kind == SLICE or bool(display.parts)
    test = _kept_truth(m, value) if known is None else m.values.constant(known)
    if test is None:
        return m.stop(step.micro.key, (value,))
    m.stack[-1] = test
    return step.at + 1


def _kept_truth(m: Machine, value: int) -> int | None:
    """The known outcome for a value that stayed on the stack since it was tested; one loaded anew is tested again."""
    stayed = 0 <= m.tested_at < len(m.stack) and m.stack[m.tested_at] == value
    return m.facts.get(("truth", value)) if stayed else None


def compare(m: Machine, step: Step) -> int:
    """Comparisons of plain constants, such as those of a selector, are decided here; those of lengths ask nobody."""
    values = m.values
    one, other = m.stack[-2], m.stack[-1]
    compare = COMPARISONS.get(step.instr.value)
    if compare is not None and values.flags[one] & INT and type(values.objects.get(other)) is int:
        m.stack[-2:] = [outcome_of(m, values.comparison(str(step.instr.value), one, other))]
        return step.at + 1
    if compare is None or not (values.is_constant(one) and values.is_constant(other)):
        return m.stop(step.micro.key, (one, other))
    left, right = values.object(one), values.object(other)
    if not (type(left) in PLAIN and type(left) is type(right)):
        return m.stop(step.micro.key, (one, other))
    m.stack[-2:] = [values.constant(compare(left, right))]
    return step.at + 1


def set_update(m: Machine, step: Step) -> int:
    """`{*()}` is how an empty set is written: nothing is added to it."""
    values, added = m.values, m.stack[-1]
    if not values.is_constant(added) or type(known := values.object(added)) is not tuple or known:
        return event(m, step)
    m.stack.pop()
    return step.at + 1
