"""The actions that another observer could see: each answers STOP, with what it is about to do, where it is not decided.

Some are decided: tests and comparisons of constants, tuples of constants. Those are silent.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from unjit.verifier.outcomes import Key
from unjit.verifier.values import BOOL, NULL, NULLABLE

if TYPE_CHECKING:
    from unjit.verifier.machine import Machine
    from unjit.verifier.program import Step

COMPARISONS: Final[dict[object, Callable[[Any, Any], bool]]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
PLAIN: Final = (int, bool, str)


def event(m: Machine, step: Step) -> int:
    micro, stack = step.micro, m.stack
    bottom = len(stack) - micro.pops
    if bottom < max(micro.reads, default=0):
        raise IndexError("the stack is too short")
    operands = stack[bottom:]
    for depth in micro.reads:
        operands.append(stack[bottom - depth])
    return m.stop(micro.key, operands)


def truth(m: Machine, step: Step) -> int:
    value = m.stack[-1]
    if m.values.flags[value] & BOOL:
        return step.at + 1
    known = m.values.truth(value)
    test = m.facts.get(("truth", value)) if known is None else m.values.constant(known)
    if test is None:
        return m.stop(step.micro.key, (value,))
    m.stack[-1] = test
    return step.at + 1


def compare(m: Machine, step: Step) -> int:
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


def build_tuple(m: Machine, step: Step) -> int:
    count, values = step.micro.pops, m.values
    parts = m.stack[len(m.stack) - count :]
    if not all(values.is_constant(part) for part in parts):
        return m.stop(step.micro.key, parts)
    del m.stack[len(m.stack) - count :]
    m.stack.append(values.constant(tuple(map(values.object, parts))))
    return step.at + 1


def unpack(m: Machine, step: Step) -> int:
    top = m.stack[-1]
    whole = m.values.object(top) if m.values.is_constant(top) else None
    if type(whole) is not tuple or len(whole) != len(step.micro.results):
        return m.stop(step.micro.key, (top,))
    m.stack[-1:] = [m.values.constant(part) for part in reversed(whole)]
    return step.at + 1


def const_map(m: Machine, step: Step) -> int:
    entries = m.stack[-step.micro.pops :]
    keys = m.values.object(entries[-1]) if m.values.is_constant(entries[-1]) else None
    if type(keys) is not tuple or len(keys) != len(entries) - 1:
        return m.stop(step.micro.key, entries)
    pairs = zip(map(m.values.constant, keys), entries, strict=False)
    return m.stop(("map",), [part for pair in pairs for part in pair])


def call(m: Machine, step: Step) -> int:
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
    return m.stop(*called(m, one, two, absent, callee, [keywords], arguments))


def called(
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
