"""Which locals may still be read, at each step: those that are not, need not be told apart."""

from __future__ import annotations

from unjit.verifier.machine.micro import Act
from unjit.verifier.machine.program import Program, Step, successors

READS = frozenset({Act.LOAD, Act.LOAD_BOUND, Act.REQUIRE_BOUND})


class Live:
    """For each step, bits of the slots that may be read before they are written; found out when first asked for.

    The first `named` slots can be read from outside at any time.
    """

    def __init__(self, program: Program, named: int) -> None:
        self._program, self._named = program, named
        self._found: list[int] | None = None

    def is_live(self, slot: int, at: int) -> bool:
        if self._found is None:
            self._found = _solved(self._program.steps, self._named)
        return bool(self._found[at] >> slot & 1)


def _solved(steps: list[Step], named: int) -> list[int]:
    """By iterating backwards to a fixpoint."""
    after = [_all_successors(step) for step in steps]
    before: list[list[int]] = [[] for _ in steps]
    for step in steps:
        for target in after[step.at]:
            before[target].append(step.at)
    live, work = [(1 << named) - 1] * len(steps), list(range(len(steps)))
    waiting = [True] * len(steps)
    while work:
        at = work.pop()
        waiting[at] = False
        found = _live_before(steps[at], live, named)
        if found != live[at]:
            live[at] = found
            for earlier in before[at]:
                if not waiting[earlier]:
                    waiting[earlier] = True
                    work.append(earlier)
    return live


def _all_successors(step: Step) -> list[int]:
    return successors(step) if step.handler is None else [*successors(step), step.handler.target]


def _live_before(step: Step, live: list[int], named: int) -> int:
    found = (1 << named) - 1
    for target in successors(step):
        found |= live[target]
    if step.act is Act.STORE and step.slot >= named:
        found &= ~(1 << step.slot)
    elif step.act in READS:
        found |= 1 << step.slot
    return found if step.handler is None else found | live[step.handler.target]
