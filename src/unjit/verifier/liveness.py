"""Which locals may still be read, at each step: those that are not, need not be told apart."""

from __future__ import annotations

from unjit.verifier.micro import Act
from unjit.verifier.program import Program, successors

READS = frozenset({Act.LOAD, Act.LOAD_BOUND, Act.REQUIRE_BOUND})


def mark_live(program: Program) -> None:
    """Fill in `program.live`, one set of bits per step, by iterating backwards to a fixpoint."""
    steps = program.steps
    live = [0] * (len(steps) + 1)
    before: list[list[int]] = [[] for _ in live]
    for step in steps:
        for target in successors(step):
            before[target].append(step.at)
        if step.handler is not None:
            before[step.handler.target].append(step.at)
    work, waiting = list(range(len(steps))), [True] * len(steps)
    while work:
        at = work.pop()
        waiting[at] = False
        step = steps[at]
        after = 0
        for target in successors(step):
            after |= live[target]
        if step.act is Act.STORE:
            after &= ~(1 << step.slot)
        elif step.act in READS:
            after |= 1 << step.slot
        if step.handler is not None:
            after |= live[step.handler.target]
        if after != live[at]:
            live[at] = after
            for earlier in before[at]:
                if not waiting[earlier]:
                    waiting[earlier] = True
                    work.append(earlier)
    program.live = live
