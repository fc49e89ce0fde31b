"""Branches that are part of an expression: `and`, `or`, `not`, conditional expressions, chained comparison.

*What the compiler did*: it turned them into jumps, then shortened jumps to jumps. *The shape*: an inner block without
statements whose only predecessor is a branch, and that leaves to where the branch also leaves, or joins the other arm
with one value. *What we produce*: one branch on a larger test, or one value. *What we refuse*: an inner block that
does anything else; it stays a statement. Working bottom up, each rule sees its inner parts already folded; jump
threading only ever shortens edges, which the rules, looking at where edges end, do not notice.
"""

from __future__ import annotations

import ast

from unjit.decompiler.folding.fold import append_folded, fold_terminator
from unjit.decompiler.ir.flow.graph import Block, Branch, Edge, Graph, Jump
from unjit.decompiler.ir.flow.jumps import may_thread
from unjit.decompiler.ir.tree.compare import same_expression
from unjit.decompiler.ir.tree.negation import negated
from unjit.decompiler.ir.tree.nodes import ASKED_BY_STATEMENTS, Define, Temp
from unjit.decompiler.ir.tree.notes import copy_mark
from unjit.decompiler.ir.tree.order import temps_in
from unjit.decompiler.passes.conditions.parts.branches import (
    both_hand_on_the_tested,
    choice,
    is_certain_choice,
    is_outcome,
    is_test_of_the_loop,
    is_tested,
    one_of,
    same_edge,
    ways_of_one_test,
)
from unjit.decompiler.passes.conditions.parts.joined_tests import (
    and_of,
    chained,
    or_of_tests,
    or_of_values,
    value_tested,
)
from unjit.decompiler.passes.conditions.parts.leaving_arms import join, one_difference
from unjit.decompiler.passes.conditions.parts.sequences import Sequences


def run(graph: Graph) -> None:
    if len(graph.reachable()) > 1:
        _Folder(graph).run()
        graph.forget_order()


def run_in_regions(graph: Graph) -> None:
    """Again, where there are any: only there exits become one after conditions."""
    if graph.is_protected:
        run(graph)


def run_after_handlers(graph: Graph) -> None:
    """Again, where several tests lead to an end of a handler that is one by now."""
    if graph.is_protected:
        tests = [block.terminator for block in graph.reachable() if isinstance(block.terminator, Branch)]
        ends = [edge.target for test in tests for edge in test.edges() if edge.target.leaves_handler]
        if len(set(ends)) < len(ends):
            run(graph)


class _Folder(Sequences):
    def run(self) -> None:
        for block in reversed(self.graph.reachable()):
            while self.entries.get(block) and self._reduce(block):
                pass

    def _reduce(self, block: Block) -> bool:
        for edge in block.terminator.edges():
            if may_thread(block, edge) and self.thread(block, edge):
                return True
        if isinstance(block.terminator, Jump):
            return self.merge_following(block, block.terminator)
        if isinstance(block.terminator, Branch):
            branch = block.terminator
            return (
                self._fold_test(block, branch)
                or self._fold_kept_value(block, branch)
                or self._fold_skipping(block, branch)
                or self._fold_value(block, branch)
                or self._fold_leaving(block, branch)
                or self._fold_dropped(block, branch)
            )
        return False

    # ------------------------------------------------------------ tests
    def _inner(self, block: Block, edge: Edge) -> Branch | None:
        """The branch of a block without statements that only `edge` enters."""
        inner = edge.target
        if self.entries[inner] != 1 or inner.statements or inner.region != block.region:
            return None
        branch = inner.terminator
        if not isinstance(branch, Branch) or isinstance(branch.test, ASKED_BY_STATEMENTS) or inner.params:
            return None
        return None if is_test_of_the_loop(block, inner) else branch

    def _fold_test(self, block: Block, branch: Branch) -> bool:
        if isinstance(branch.test, ASKED_BY_STATEMENTS):
            return False
        then, other = self._inner(block, branch.true), self._inner(block, branch.false)
        if then is not None and other is not None and (chosen := one_of(block, branch, then, other)) is not None:
            self._replace(block, chosen, [then, other])
        elif then is not None and _goes_alike(block, branch.true.target, then.false, branch.false):
            test = and_of(block, branch.test, then.test)
            self._replace(block, Branch(test, then.true, then.false, then.falls_through), [then])
        elif then is not None and _goes_alike(block, branch.true.target, then.true, branch.false):
            self._replace(block, self._second_decides(block, branch.test, then), [then])
        elif other is not None and _goes_alike(block, branch.false.target, other.true, branch.true):
            self._replace(block, self._either_goes(block, branch.test, other), [other])
        elif other is not None and _goes_alike(block, branch.false.target, other.false, branch.true):
            self._replace(block, self._first_decides(block, branch.test, other), [other])
        else:
            return False
        return True

    def _either_goes(self, block: Block, first: ast.expr, other: Branch) -> Branch:
        """`first` and `other` go to one place if true: an `or`, or a negated `and`, as the arms were laid out."""
        if other.falls_through:
            return Branch(or_of_tests(block, first, other.test), other.true, other.false)
        return Branch(and_of(block, negated(first), negated(other.test)), other.false, other.true)

    def _second_decides(self, block: Block, first: ast.expr, then: Branch) -> Branch:
        """`first` false goes where `then` true goes: `not first or then`, or negated, as the arms were laid out."""
        if then.falls_through:
            return Branch(or_of_tests(block, negated(first), then.test), then.true, then.false)
        return Branch(and_of(block, first, negated(then.test)), then.false, then.true)

    def _first_decides(self, block: Block, first: ast.expr, other: Branch) -> Branch:
        """`first` true goes where `other` false goes: `not first and other`, or negated, as the arms were laid out."""
        if other.falls_through:
            return Branch(and_of(block, negated(first), other.test), other.true, other.false)
        return Branch(or_of_tests(block, first, negated(other.test)), other.false, other.true)

    def _replace(self, block: Block, merged: Branch, inner: list[Branch]) -> None:
        """Let `merged` stand for the block's branch and the inner ones."""
        assert isinstance(block.terminator, Branch)
        for edge in block.terminator.edges():
            self.drop_edge(edge.target)
            if edge.target.terminator in inner and not self.entries[edge.target]:
                for gone in edge.target.terminator.edges():
                    self.drop_edge(gone.target)
        for edge in merged.edges():
            self.entries[edge.target] += 1
        merged.is_shortened = any(branch.is_shortened for branch in inner)
        block.terminator = merged

    def _fold_kept_value(self, block: Block, branch: Branch) -> bool:
        """`x and y or z`: a block that only computes and tests `y`, and keeps it where it decides."""
        if isinstance(branch.test, ASKED_BY_STATEMENTS):
            return False
        then, other = self._inner_kept(block, branch.true), self._inner_kept(block, branch.false)
        if then is not None and (first := self._asked_first(block, branch.test, branch.false, *then, go_on=False)):
            kept, inner = then
            kept.value = and_of(block, first, kept.value)
        elif other is not None and (first := self._asked_first(block, branch.test, branch.true, *other, go_on=True)):
            kept, inner = other
            kept.value = or_of_values(block, first, kept.value)
        elif then is not None and same_edge(then[1].true, branch.false):
            kept, inner = then
            kept.value = or_of_values(block, negated(branch.test), kept.value)
        elif other is not None and same_edge(other[1].false, branch.true):
            kept, inner = other
            kept.value = and_of(block, negated(branch.test), kept.value)
        else:
            return False
        self._replace(block, Branch(inner.test, inner.true, inner.false, inner.falls_through), [inner])
        block.statements.append(kept)
        return True

    def _asked_first(
        self, block: Block, test: ast.expr, edge: Edge, kept: Define, inner: Branch, *, go_on: bool
    ) -> ast.expr | None:
        """The first operand, if the inner test leads where `edge` does, with the same values or each with its own."""
        there = inner.true if go_on else inner.false
        if same_edge(there, edge):
            return test
        return value_tested(block, test) if both_hand_on_the_tested(test, edge, kept.temp, there) else None

    def _inner_kept(self, block: Block, edge: Edge) -> tuple[Define, Branch] | None:
        """A block that only `edge` enters and that does nothing but compute the value it branches on."""
        inner, branch = edge.target, edge.target.terminator
        if self.entries[inner] != 1 or inner.region != block.region or inner.params or len(inner.statements) != 1:
            return None
        kept = inner.statements[0]
        if isinstance(kept, Define) and isinstance(branch, Branch) and branch.test is kept.temp:
            return kept, branch
        return None

    def _fold_skipping(self, block: Block, branch: Branch) -> bool:
        """`(a if b else c or d) and e`: what comes of `c` goes past the test of what comes of the choice."""
        if isinstance(branch.test, ASKED_BY_STATEMENTS) or self.graph.skips_known_tests:
            return False
        return any(self._fold_past(block, branch, skip) for skip in branch.edges())

    def _fold_past(self, block: Block, branch: Branch, skip: Edge) -> bool:
        """Lead `skip` to the test that the other arm goes to, with a value for which that leads where `skip` does."""
        arm = self._arm(block, branch.false if skip is branch.true else branch.true)
        if arm.target is block or len(arm.target.params) != 1:
            return False
        for holds, way in ways_of_one_test(arm.target):
            first = self._asked_past(block, branch, skip, arm.target.params[0], way, holds=holds)
            if first is not None:
                value = or_of_values(block, first, arm.args[0]) if holds else and_of(block, first, arm.args[0])
                self._go_on(block, branch, arm, value)
                return True
        return False

    def _asked_past(
        self, block: Block, branch: Branch, skip: Edge, handed: Temp, way: Edge, *, holds: bool
    ) -> ast.expr | None:
        """The first operand, if `skip` leads where a `way` out of the second test does; the tested value, or not."""
        is_alike = holds == (skip is branch.true)
        if same_edge(way, skip, in_expression=True):
            return branch.test if is_alike else negated(branch.test)
        return (
            value_tested(block, branch.test)
            if is_alike and both_hand_on_the_tested(branch.test, skip, handed, way)
            else None
        )

    def _go_on(self, block: Block, branch: Branch, arm: Edge, value: ast.expr) -> None:
        """Replace the block's branch by a jump to where one arm goes, with this value."""
        for edge in branch.edges():
            self.drop_edge(edge.target)
            if edge.target.terminator.edges() == [arm]:
                self.drop_edge(arm.target)
        self.entries[arm.target] += 1
        block.terminator = Jump(Edge(arm.target, [value]))
        fold_terminator(block)

    # ------------------------------------------------------------ values
    def _fold_value(self, block: Block, branch: Branch) -> bool:
        """Two arms that join with one value each."""
        then, other = self._arm(block, branch.true), self._arm(block, branch.false)
        if then.target is not other.target or then.target is block:
            return False
        pairs = list(enumerate(zip(then.args, other.args, strict=True)))
        differing = [k for k, (a, b) in pairs if not same_expression(a, b)]
        differing = differing or [k for k, (a, b) in pairs if a is not b]  # equal, and each loaded in its own arm
        if len(differing) != 1:
            return False
        k = differing[0]
        value = self._value(block, branch, then, other, k)
        if value is None:
            return False
        args = [*then.args[:k], value, *then.args[k + 1 :]]
        for edge in branch.edges():
            self.drop_edge(edge.target)
            if edge.target is not then.target:
                self.drop_edge(then.target)
        self.entries[then.target] += 1
        block.terminator = Jump(Edge(then.target, args))
        fold_terminator(block)
        return True

    def _fold_leaving(self, block: Block, branch: Branch) -> bool:
        """Two arms that end by copies of one statement, which differ in one value."""
        then, other = branch.true.target, branch.false.target
        if then is other:
            return False
        after_then, after_other = (self._arm(block, edge).target for edge in (branch.true, branch.false))
        if self._hand_over(then, after_other) or self._hand_over(other, after_then):
            return True
        if then.params or other.params or self.entries[then] != 1 or self.entries[other] != 1:
            return False
        found = one_difference(then, other)
        if found is None or then.region != block.region:
            return False
        value = self._value(block, branch, Edge(then, [found.values[0]]), Edge(other, [found.values[1]]), 0)
        if value is None:
            return False
        append_folded(block, join(then, other, found, value))
        block.instrs += other.instrs + then.instrs  # `then` last: its statements are what is left
        block.terminator, block.leaves_handler = then.terminator, then.leaves_handler
        self.entries[then] = self.entries[other] = 0
        if isinstance(other.terminator, Jump):
            self.drop_edge(other.terminator.edge.target)
        return True

    def _fold_dropped(self, block: Block, branch: Branch) -> bool:
        """`a < b < c` that nothing reads: a second comparison that starts with the value that ended the first."""
        then, jump = branch.true.target, branch.true.target.terminator
        if self.entries[then] != 1 or len(then.statements) != 1 or then.region != block.region:
            return False
        second = then.statements[0]
        if not (isinstance(second, ast.Expr) and isinstance(jump, Jump) and same_edge(jump.edge, branch.false)):
            return False
        chain = chained(block, branch.test, second.value)
        if chain is None:
            return False
        append_folded(block, [ast.Expr(chain)])
        block.terminator, block.leaves_handler = jump, then.leaves_handler
        self.entries[then] = 0
        self.drop_edge(jump.edge.target)
        return True

    def _hand_over(self, copy: Block, whole: Block) -> bool:
        """Let the arm `copy` jump to `whole`, if it is a copy of that but for the value that `whole` is handed."""
        if self.entries[copy] != 1 or copy.params or len(whole.params) != 1:
            return False
        found = one_difference(whole, copy)
        if found is None or found.values[0] is not whole.params[0]:
            return False
        join(whole, copy, found, found.values[0])
        if isinstance(copy.terminator, Jump):
            self.drop_edge(copy.terminator.edge.target)
        copy.statements, copy.leaves_handler = [], False  # `whole` does this for both
        copy.terminator = Jump(Edge(whole, [found.values[1]]))
        self.entries[whole] += 1
        return True

    def _arm(self, block: Block, edge: Edge) -> Edge:
        """Where an arm ends: after a block without statements that only it enters, or at once."""
        inner, jump = edge.target, edge.target.terminator
        if self.entries[inner] != 1 or inner.statements or inner.region != block.region or inner.leaves_handler:
            return edge
        if not isinstance(jump, Jump):
            return edge
        if not inner.params:  # then no argument need be searched for one, which may be long
            return jump.edge
        given: dict[ast.expr, ast.expr] = dict(zip(inner.params, edge.args, strict=True))
        if any(temp in given for arg in jump.edge.args if arg not in given for temp in temps_in(arg)):
            return edge
        return Edge(jump.edge.target, [given.get(arg, arg) for arg in jump.edge.args])

    def _value(self, block: Block, branch: Branch, then: Edge, other: Edge, k: int) -> ast.expr | None:
        if isinstance(branch.test, ASKED_BY_STATEMENTS):
            return None
        if other is branch.false and is_outcome(branch.test, other.args[k], ast.Or):
            return self._and_or(block, ast.And(), branch, then.args[k])
        if then is branch.true and is_outcome(branch.test, then.args[k], ast.And):
            return self._and_or(block, ast.Or(), branch, other.args[k])
        if other is not branch.false and is_tested(branch, other.args[k]):
            return self._and_or(block, ast.And(), branch, then.args[k])
        if then is not branch.true and is_tested(branch, then.args[k]):
            return self._and_or(block, ast.Or(), branch, other.args[k])
        chosen = choice(branch.test, then.args[k], other.args[k])
        copy_mark(branch.test, chosen)
        return chosen

    def _and_or(self, block: Block, operator: ast.boolop, branch: Branch, second: ast.expr) -> ast.expr | None:
        """The tested value itself, or the second: only the test and the edge that keeps it may read it."""
        first = value_tested(block, branch.test)
        if first is None:
            return None
        if isinstance(operator, ast.And):
            return and_of(block, first, second)
        return or_of_values(block, first, second)


def _goes_alike(block: Block, inner: Block, way: Edge, other: Edge) -> bool:
    """Whether an edge out of the test in `inner` leads where `other`, out of `block`, does, in one expression."""
    on_one_line = way.leaves and other.line is None and way.line == block.last_line  # `if x or y: continue`
    is_certain = on_one_line or _goes_on_comparing(block, inner) or is_certain_choice(block, inner, other)
    return same_edge(way, other, in_expression=is_certain)


def _goes_on_comparing(block: Block, inner: Block) -> bool:
    """Whether what is tested in `inner` begins with the value on the stack that ends the test of `block`."""
    first, second = block.terminator, inner.terminator
    if not (isinstance(first, Branch) and isinstance(second, Branch)):
        return False
    if not (isinstance(first.test, ast.Compare) and isinstance(second.test, ast.Compare)):
        return False
    return isinstance(second.test.left, Temp) and first.test.comparators[-1] is second.test.left
