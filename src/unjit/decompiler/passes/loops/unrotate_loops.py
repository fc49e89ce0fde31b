"""One test for each while loop.

*What the compiler did* (until 3.13): `while test: body` became a test that guards the loop and a copy of it at the
bottom that repeats it; `continue` goes to the first. *The shape*: two branches on the same expression with the same
targets, or on the opposite with these exchanged, the one in the loop dominated by the loop's body. *What we produce*: a
jump from the bottom to the guard, which becomes the loop's head; of a guard that was joined with the test of an `if`
around the loop, only its end does. *What we refuse*: tests that differ in anything else.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from unjit.decompiler.ir.flow.dominators import Dominators
from unjit.decompiler.ir.flow.graph import Block, Branch, Edge, Graph, Jump
from unjit.decompiler.ir.tree.compare import same_expression
from unjit.decompiler.ir.tree.negation import are_opposites


def run(graph: Graph) -> None:
    guards: dict[frozenset[Block], list[Block]] = {}
    for block in graph.reachable():
        branch = block.terminator
        if isinstance(branch, Branch) and not _arguments(branch):
            guards.setdefault(frozenset({branch.true.target, branch.false.target}), []).append(block)
    repeated = {targets: blocks for targets, blocks in guards.items() if len(blocks) > 1}
    if not repeated:
        return
    dominators = Dominators(graph)
    for targets, blocks in repeated.items():
        for body in sorted(targets, key=lambda block: block.offset):
            _merge(graph, dominators, blocks, body)
    graph.forget_order()


def _arguments(branch: Branch) -> bool:
    return bool(branch.true.args or branch.false.args)


def _merge(graph: Graph, dominators: Dominators, blocks: list[Block], body: Block) -> None:
    """Send the tests in the loop of `body` to the first test before it that is the same."""
    repeats = [b for b in blocks if dominators.dominates(body, b)]
    before = [b for b in blocks if b not in repeats]
    for block in repeats:
        repeat = block.terminator
        for guard in before:
            test = guard.terminator
            if not isinstance(test, Branch) or not isinstance(repeat, Branch):
                continue
            asked = _test_alone(graph, guard) if asks_the_same(test, repeat) else _split(graph, guard, test, repeat)
            if asked is not None:
                block.terminator = Jump(Edge(asked))
                break


def asks_the_same(one: Branch, other: Branch) -> bool:
    """Whether both send control to the same places for the same reason; of two ways to ask, each may have another."""
    if one.true.target is other.true.target:
        return same_expression(one.test, other.test)
    return are_opposites(one.test, other.test)


def _split(graph: Graph, guard: Block, test: Branch, repeat: Branch) -> Block | None:
    """Let the end of `if a and b` that is asked again be a test of its own: `if a: while b`."""
    if not isinstance(test.test, ast.BoolOp):
        return None
    operator, values = test.test.op, test.test.values
    for count in range(1, len(values)):
        last = values[-1] if count == 1 else ast.BoolOp(operator, values[-count:])
        asked = Branch(last, test.true, test.false, test.falls_through)
        if not asks_the_same(asked, repeat):
            continue
        first = values[0] if count == len(values) - 1 else ast.BoolOp(operator, values[:-count])
        inner = graph.new_block(guard.offset, guard.region)
        inner.handler, inner.terminator = guard.handler, asked
        if isinstance(operator, ast.And):
            outer = Branch(first, Edge(inner), replace(test.false), falls_through=True)
        else:
            outer = Branch(first, replace(test.true), Edge(inner), falls_through=False)
        guard.terminator = outer
        return inner
    return None


def _test_alone(graph: Graph, guard: Block) -> Block:
    """The block that holds the guard's test and nothing else; made when the guard has statements too."""
    if not guard.statements:
        return guard
    alone = graph.new_block(guard.offset, guard.region)
    alone.handler, alone.terminator = guard.handler, guard.terminator
    guard.terminator = Jump(Edge(alone))
    return alone
