"""Calls in one form each, whichever instructions put callee and arguments on the stack.

Arguments that the frame gathers in a tuple, list or dict of its own only for the call are the same as arguments given
one by one: the callee gets a fresh tuple and dict of them either way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unjit.verifier.machine.display_actions import entries, operands, sequence
from unjit.verifier.machine.displays import LIST, references
from unjit.verifier.machine.outcomes import Key
from unjit.verifier.machine.values import NULL, NULLABLE

if TYPE_CHECKING:
    from unjit.verifier.machine.machine import Machine
    from unjit.verifier.machine.micro import Micro
    from unjit.verifier.machine.program import Step


def call(m: Machine, step: Step) -> int:
    return m.stop(*called(m, step.micro, operands(m, step)))


def called(m: Machine, micro: Micro, taken: list[int]) -> tuple[Key, list[int]]:
    """The call that these entries of the stack make: its operands are keyword names, callee, arguments."""
    layout, keywords = micro.key[1], m.keywords
    if layout in ("keywords", "null last, keywords"):
        keywords = taken.pop()
    if layout in ("function", "keywords"):
        return ("call", micro.count), [keywords, *taken]
    one, two, *arguments = taken
    absent, callee = (two, one) if layout in ("null last", "null last, keywords") else (one, two)
    if absent == NULL:
        return ("call", len(arguments)), [keywords, callee, *arguments]
    values = m.values
    first, second = values.terms[one], values.terms[two]
    if first[0] == "method" and second[0] == "self" and first[1] == second[1]:
        return ("call", len(arguments)), [keywords, int(first[1]), *arguments]  # type: ignore[call-overload]
    if not values.flags[absent] & NULLABLE and not values.flags[one] & NULLABLE:
        return ("call", len(arguments) + 1), [keywords, one, two, *arguments]
    return ("call", "either", len(arguments)), [keywords, one, two, *arguments]


def call_spread(m: Machine, step: Step) -> int:
    """`f(*positional, **named)`: a plain call where both are known."""
    taken = operands(m, step)
    named = taken.pop() if step.micro.count else NULL
    has_names = named != NULL
    positional, callee = taken[-1], taken[int(str(step.micro.key[1]))]
    arguments = sequence(m, positional) if _is_handed_over(m, positional) else None
    given = {} if not has_names else entries(m, named) if _is_handed_over(m, named) else None
    if given is None or not all(isinstance(name, str) for name in given):
        if arguments is None:
            return m.stop(("call_ex", "mapping"), [callee, positional, named])
        return m.stop(("call_ex", "mapping", len(arguments)), [callee, named, *arguments])
    names = tuple(given)
    if arguments is None:
        return m.stop(("call_ex", names), [callee, positional, *given.values()])
    keywords = m.values.constant(names) if names else NULL
    return m.stop(("call", len(arguments) + len(names)), [keywords, callee, *arguments, *given.values()])


def _is_handed_over(m: Machine, number: int) -> bool:
    """Whether nothing can tell what the callee gets from a fresh copy.

    A callee written in C may keep the very tuple or dict, so that the frame must not hold it any longer. Lists are
    copied, and constants are the same as equal ones.
    """
    display = m.displays.get(number)
    if display is None or display.kind == LIST:
        return True
    return references(m.displays, [*m.stack, *m.live_slots()], number) == 1
