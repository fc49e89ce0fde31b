"""One case clause, read along the tests of its pattern that pass, to where all have."""

from __future__ import annotations

import ast
import itertools
from dataclasses import dataclass

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.flow.graph import Block, Edge, Graph, Jump, Path
from unjit.decompiler.ir.tree.nodes import Temp
from unjit.decompiler.passes.patterns.parts.copied_exits import are_copies, join_exit, taken_off
from unjit.decompiler.passes.patterns.parts.facts import Bound, Facts
from unjit.decompiler.passes.patterns.parts.steps import Asked, asked, only_steps, take


@dataclass
class End:
    """Where a path of tests ends: after `at` statements of `block`, which was entered by `edge`.

    `fail` is None where no test of the path, taken as a whole, can fail.
    """

    block: Block
    at: int
    edge: Edge
    fail: Edge | None
    facts: Facts
    names: Bound


class ClauseReader:
    """Reads one case clause."""

    def __init__(
        self,
        graph: Graph,
        definitions: dict[Temp, ast.expr],
        predecessors: dict[Block, set[Block]],
        exits: set[Block],
    ) -> None:
        self.graph = graph
        self.definitions = definitions
        self.predecessors = predecessors
        self.exits = exits  # split off beforehand, in case several alternatives lead there
        self.visited: set[Block] = set()
        self.family: set[Temp] = set()
        self.region: Path = ()
        self.first: Block | None = None

    def case(self, block: Block, at: int, subject: Temp) -> End:
        """Raises CannotExpress where no pattern starts at statement `at` of `block`."""
        self.family, self.region, self.first = {subject}, block.region, block
        end = self._follow(block, at, Edge(block), Facts(self.definitions), None)
        if end is None or end.block is block:
            raise CannotExpress("the tests are those of no pattern")
        return end

    def entered_only_from_visited(self, block: Block) -> bool:
        """Whether all that leads to a block, and is led to itself, was read on the way."""
        others = [before for before in self.predecessors[block] - self.visited if block in before.successors()]
        return not others or set(others).isdisjoint(self.graph.reachable())

    def _follow(
        self, block: Block, at: int, edge: Edge, facts: Facts, stop: Block | None, fail: Edge | None = None
    ) -> End | None:
        """Along the tests that pass, to `stop` or to the end of the pattern; None where they lead elsewhere.

        `fail` is where a test before them goes that fails.
        """
        while not self._is(block, stop):
            if block.region != self.region or (block in self.visited if stop is None else block.leaves_handler):
                return None
            self.visited.add(block)
            if stop is None:
                self._join_exit(block)
            taken = take(block.statements, at, facts, self.family)
            question = asked(block, self.definitions) if taken.at == len(block.statements) else None
            if question is not None and question.temp not in self.family:
                question = None
            if question is None:
                if stop is None:
                    has_asked = fail is not None or facts.choices
                    return End(block, taken.sure, edge, fail, facts, taken.names) if has_asked else None
                if not isinstance(block.terminator, Jump) or taken.names or taken.at < len(block.statements):
                    return None
                edge = block.terminator.edge
            else:
                question = self._whole(question, stop, fail)
                if question is None or not self._fails_alike(question.fails, fail):
                    return None
                question.note(facts)
                edge, fail = question.passes, fail or question.fails
            block, at = edge.target, 0
        return End(block, 0, edge, fail, facts, {})

    def _join_exit(self, block: Block) -> None:
        """Undo the split of an exit after a path that is none of several alternatives."""
        jump = block.terminator
        if isinstance(jump, Jump) and jump.edge.target in self.exits and self.predecessors[jump.edge.target] == {block}:
            join_exit(block, jump)
            self.graph.forget_order()

    def _whole(self, question: Asked, stop: Block | None, fail: Edge | None) -> Asked | None:
        """The or-pattern whose first alternative the question begins, if it does; the question itself otherwise."""
        while question.fails is not None and (fail is None or not self._same_place(question.fails, fail)):
            meeting = self._meeting(question, question.fails, stop)
            if meeting is None or (fail is None and self._is(meeting, stop)):  # the next alternative of the one around
                break
            either = self._alternatives(question, question.fails, meeting)
            if either is None:
                return None
            question = either
        return question

    def _alternatives(self, question: Asked, fail: Edge | None, meeting: Block) -> Asked | None:
        """Read the alternatives of an or-pattern, which come together at `meeting`; the question that they are.

        It has no way to fail where the last of them asks nothing.
        """
        alternative = Facts(self.definitions)
        question.note(alternative)
        first = self._follow(question.passes.target, 0, question.passes, alternative, meeting, fail)
        if first is None:
            return None
        ends, begun = [first], set[Block]()
        while fail is not None and self._is_of(question.temp, fail.target) and self._leads_to(fail.target, meeting):
            end = self._follow(fail.target, 0, fail, Facts(self.definitions), meeting)
            if end is None or fail.target in begun:
                return None
            begun.add(fail.target)
            ends.append(end)
            fail = end.fail
        if not begun:
            return None
        self.family.update(meeting.params)
        choices = [(end.facts, self._chosen(meeting, end.edge)) for end in ends]

        def note(facts: Facts) -> None:
            facts.choices[question.temp] = choices

        return Asked(question.temp, question.test, first.edge, fail, note)

    def _chosen(self, meeting: Block, edge: Edge) -> dict[Temp, Temp]:
        return {p: a for p, a in zip(meeting.params, edge.args, strict=False) if isinstance(a, Temp)}

    def _is_of(self, temp: Temp, block: Block) -> bool:
        """Whether a block asks nothing of another value, as an alternative of an or-pattern around this one does."""
        question = asked(self._threaded(block), self.definitions)
        return question is None or question.temp is temp

    def _leads_to(self, block: Block, meeting: Block) -> bool:
        return any(self._is(passed, meeting) for passed in self._chain(block))

    def _meeting(self, question: Asked, fails: Edge, stop: Block | None) -> Block | None:
        """Where the path on which the question fails comes back to the one on which it passes, up to `stop`."""
        passing = self._chain(question.passes.target)
        ends = next((k for k, block in enumerate(passing) if self._is(block, stop)), len(passing))
        passing = passing[: ends + 1]
        failing = list(itertools.takewhile(lambda block: not self._asks(block, question), self._chain(fails.target)))
        if not failing:
            return None
        start = self._threaded(fails.target)
        depth = self._depth(start) - _dropped(start)
        known = set(passing)
        found = next((block for block in failing if block in known), None)
        if found is None and self._is(failing[-1], passing[-1]):
            found = max(passing[-1], failing[-1], key=self._depth)
        if found is None or (self._is(found, start) and not _passes_values(fails.target)):
            return None  # what fails asks nothing more: it is no alternative
        return found if self._depth(found) >= depth else None

    def _asks(self, block: Block, question: Asked) -> bool:
        """Whether the block asks this very question: a loop has come back to the match statement."""
        asked_there = asked(block, self.definitions)
        return asked_there is not None and asked_there.test is question.test

    def _chain(self, block: Block) -> list[Block]:
        """The blocks from here on, as long as tests pass, and a loop does not come back to where the case begins."""
        chain: dict[Block, None] = {}
        while block not in chain and block is not self.first:
            chain[block] = None
            question = asked(block, self.definitions)
            if question is not None:
                block = question.passes.target
            elif isinstance(block.terminator, Jump) and only_steps(block.statements):
                block = block.terminator.edge.target
            else:
                break
        return list(chain)

    def _depth(self, block: Block) -> int:
        """How much lies on the stack where the block begins; of an exit that was split off, how much it takes off."""
        if not block.instrs:
            return -1
        stack = self.graph.stacks.get(block.offset)
        return taken_off(block) if stack is None else len(stack)

    def _threaded(self, block: Block) -> Block:
        seen: set[Block] = set()
        while not block.statements and isinstance(block.terminator, Jump) and block not in seen:
            seen.add(block)
            block = block.terminator.edge.target
        return block

    def _fails_alike(self, one: Edge | None, other: Edge | None) -> bool:
        return one is None or other is None or self._same_place(one, other)

    def _same_place(self, one: Edge, other: Edge) -> bool:
        return self._is(self._threaded(one.target), self._threaded(other.target))

    def _is(self, block: Block, other: Block | None) -> bool:
        return block is other or (other is not None and are_copies(block, other))


def _dropped(block: Block) -> int:
    """How many values of the question that failed the block drops before it does anything."""
    return next((k for k, instr in enumerate(block.instrs) if instr.op != "POP_TOP"), len(block.instrs))


def _passes_values(block: Block) -> bool:
    """Whether the block goes on with values for what follows it: to the end of an alternative that binds."""
    return isinstance(block.terminator, Jump) and bool(block.terminator.edge.args)
