"""Branches on patterns of one subject, one after the other, as one match statement."""

from __future__ import annotations

import ast
from typing import cast

from unjit.decompiler.ir.flow.graph import Block, Branch, Case, Edge, Graph, Match
from unjit.decompiler.ir.flow.jumps import same_target, shows_case_for_all
from unjit.decompiler.ir.tree.negation import negated
from unjit.decompiler.ir.tree.nodes import ASKED_BY_STATEMENTS, Define, MatchesPattern, Temp
from unjit.decompiler.ir.tree.notes import offset_of
from unjit.decompiler.ir.tree.uses import count_uses


def run(graph: Graph) -> None:
    starts = [block for block in graph.reachable() if _asks_pattern(block)]
    if not starts:
        return
    count_uses(graph)
    entries = {block: len(leading) for block, leading in graph.predecessors().items()}
    entries[graph.entry] += 1
    before = {edge.target: block for block, edge in graph.edges()}
    for block in starts:
        if entries[block]:
            joiner = _Joiner(entries, block)
            joiner.run()
            joiner.join_first(before)
    graph.forget_order()
    count_uses(graph)


def _asks_pattern(block: Block) -> bool:
    return _asked_subject(block) is not None


def _asked_subject(block: Block) -> ast.expr | None:
    """What the block asks a pattern of, if it does."""
    terminator = block.terminator
    if isinstance(terminator, Match):  # whose only case nothing fails
        return terminator.subject
    test = terminator.test if isinstance(terminator, Branch) else None
    return test.subject if isinstance(test, MatchesPattern) else None


class _Joiner:
    """Gathers the cases from `block` on; `entries` says how many edges enter each block."""

    def __init__(self, entries: dict[Block, int], block: Block) -> None:
        self.entries = entries
        self.block = block
        subject = _asked_subject(block)
        assert subject is not None
        is_named = isinstance(subject, ast.NamedExpr) and isinstance(subject.value, Temp)
        self.named = cast(ast.NamedExpr, subject) if is_named else None  # `match x := …`: the first case reads that
        self.subject = subject if self.named is None else self.named.value
        self.reads = 0  # of the subject, by the cases
        self.cases: list[Case] = []

    def run(self) -> None:
        block: Block | None = self.block
        following, into = None, 0
        while block is not None:
            following, into = self._case(block)
            block = None if following is None else self._next(following, into)
        otherwise = None if following is None else self._capture(following, into)
        self.block.terminator = Match(self._value(), self.cases, otherwise)

    def _case(self, block: Block) -> tuple[Edge | None, int]:
        """Add the case that `block` asks; where it goes on if that does not match, and by how many edges."""
        branch = block.terminator
        self.reads += 1
        if isinstance(branch, Match):
            self.cases += branch.cases
            return None, 0
        assert isinstance(branch, Branch)
        if not isinstance(branch.test, MatchesPattern):
            return self._case_for_all(block, branch), 1
        if branch.true.target is branch.false.target and self._asks_subject(branch.false.target):
            self.cases.append(Case(branch.test.pattern, ast.Constant(False), None))
            return branch.false, 2
        guard, edge = self._guarded(branch, block.last_line)
        self.cases.append(Case(branch.test.pattern, guard, edge))
        return branch.false, 1 + (guard is not None)

    def _case_for_all(self, block: Block, branch: Branch) -> Edge:
        name = _bound(block.statements[0], self.subject) if block.statements else None
        self.reads -= name is None
        following = branch.false if self._goes_on(branch.false.target) else branch.true
        guard = _guard(branch, following.target)
        assert guard is not None
        self.cases.append(Case(ast.MatchAs(None, name), *guard))
        return following

    def _guarded(self, branch: Branch, line: int | None) -> tuple[ast.expr | None, Edge]:
        """The guard after a pattern, which ends on this line: a test that fails to where the pattern fails to."""
        block, failing = branch.true.target, branch.false
        test = block.terminator
        if not isinstance(test, Branch) or isinstance(test.test, ASKED_BY_STATEMENTS):
            return None, branch.true
        if self.entries[block] != 1 or block.statements or block.params or block.region != self.block.region:
            return None, branch.true
        if self._is_written_within(block, line, failing.target):
            return None, branch.true
        if same_target(test.false, failing):
            self.entries[block] = 0
            return test.test, test.true
        if same_target(test.true, failing):
            self.entries[block] = 0
            return negated(test.test), test.false
        return None, branch.true

    def _is_written_within(self, test: Block, line: int | None, failing: Block) -> bool:
        """Whether a test is an `if` in the suite, no guard: it has its own line, and no case is asked if it fails."""
        suite = [test, *(block for block in test.successors() if block is not failing)]
        above = {instr.line for block in suite for instr in block.instrs}
        if line is None or test.last_line in (None, line) or shows_case_for_all(failing, above):
            return False
        after = (failing, *failing.successors())
        return not self._binds(failing) and not any(map(self._asks_subject, after))

    def _next(self, following: Edge, into: int) -> Block | None:
        """The block that asks the next case, if only this one leads there."""
        block = following.target
        if self.entries[block] != into or block.params or block.region != self.block.region or block is self.block:
            return None
        branch = block.terminator
        if _asks_pattern(block):
            found = self._asks_subject(block)
        elif not isinstance(branch, Branch):
            return None
        else:  # a pattern that matches all, with a guard: another case after it shows that it is one
            after = [b for b in block.successors() if self.entries[b] == 1 and self._goes_on(b)]
            found = bool(after) and not isinstance(branch.test, ASKED_BY_STATEMENTS) and self._only_binds(block)
        if found:
            self.entries[block] = 0
        return block if found else None

    def _asks_subject(self, block: Block) -> bool:
        return _asked_subject(block) is self.subject and not block.statements

    def _goes_on(self, block: Block) -> bool:
        """Whether a block asks the next case, or binds the subject, as a case does that matches all."""
        return self._asks_subject(block) or self._binds(block)

    def _binds(self, block: Block) -> bool:
        """Whether the first thing done is to give the subject a name."""
        return bool(block.statements) and _bound(block.statements[0], self.subject) is not None

    def _only_binds(self, block: Block) -> bool:
        """Whether no more is done than that, if anything."""
        return not block.statements or (len(block.statements) == 1 and self._binds(block))

    def join_first(self, before: dict[Block, Block]) -> None:
        """First cases that match everything, with guards: only the subject's being there shows what they are."""
        if self.named is not None:  # it takes its name after what would be their guards
            return
        first: list[Case] = []
        block = self.block
        while self.entries[block] == 1 and block in before:
            above = before[block]
            branch = above.terminator
            if not isinstance(branch, Branch) or above.region != block.region:
                return
            guard = _guard(branch, block)
            if guard is None:
                return
            if not above.statements:
                first.insert(0, Case(ast.MatchAs(None, None), *guard))
                block = above
                continue
            last = above.statements[-1]
            if isinstance(last, Define) and last.temp is self.subject:
                value, name = _without_name(last.value)
                first.insert(0, Case(ast.MatchAs(None, name), *guard))
                self._move(above, value, first)
                return
            bound = _bound(last, self.subject)
            if len(above.statements) != 1 or bound is None:
                return
            self.reads += 1
            first.insert(0, Case(ast.MatchAs(None, bound), *guard))
            block = above

    def _move(self, block: Block, value: ast.expr, first: list[Case]) -> None:
        """Let the statement begin with these cases, in this block, which ends by making the subject."""
        match, subject = self.block.terminator, self.subject
        assert isinstance(match, Match)
        assert isinstance(subject, Temp)
        if not self.block.statements and subject.uses == self.reads:
            block.statements.pop()
            block.terminator = Match(value, [*first, *match.cases], match.otherwise)

    def _capture(self, following: Edge, into: int) -> Edge | None:
        """A last case that binds the whole subject, if only these edges lead there; where to go on if none matches."""
        block = following.target
        first = block.statements[0] if block.statements else None
        name = None if first is None else _bound(first, self.subject)
        if name is None or self.entries[block] != into or block.region != self.block.region:
            return following
        self.reads += 1
        branch = block.terminator
        if isinstance(branch, Branch) and len(block.statements) == 1 and _is_guarded(block, branch):
            near, far = branch.edges()
            self.entries[block] = 0
            guard = branch.test if branch.falls_through else negated(branch.test)
            self.cases.append(Case(ast.MatchAs(None, name), guard, near))
            return far
        self.cases.append(Case(ast.MatchAs(None, name), None, Edge(block, following.args)))
        del block.statements[0]
        return None

    def _value(self) -> ast.expr:
        """What the statement is about: the value itself where nothing else reads it."""
        last = self.block.statements[-1] if self.block.statements else None
        subject = self.subject
        asked = self.named or subject
        if not isinstance(subject, Temp) or subject.uses != self.reads:
            return asked
        if not isinstance(last, Define) or last.temp is not subject:
            return asked
        self.block.statements.pop()
        if self.named is None:
            return last.value
        self.named.value = last.value
        return self.named


def _is_guarded(block: Block, branch: Branch) -> bool:
    """Whether the test after a name that is bound stands on the line of that: else it is an `if` of the suite."""
    stored = offset_of(block.statements[0])
    line = next((instr.line for instr in block.instrs if instr.offset == stored), block.first_line)
    return not isinstance(branch.test, ASKED_BY_STATEMENTS) and line == block.last_line is not None


def _bound(statement: ast.stmt, subject: ast.expr) -> str | None:
    """The name to which the statement binds the whole subject."""
    if not isinstance(statement, ast.Assign) or statement.value is not subject or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    return target.id if isinstance(target, ast.Name) else None


def _without_name(value: ast.expr) -> tuple[ast.expr, str | None]:
    """The value, and the name to which it is bound on the way."""
    return (value.value, value.target.id) if isinstance(value, ast.NamedExpr) else (value, None)


def _guard(branch: Branch, following: Block) -> tuple[ast.expr, Edge] | None:
    """The test as a guard that goes on to `following` where it is false, and where it goes if it is true."""
    if isinstance(branch.test, ASKED_BY_STATEMENTS):
        return None
    if branch.false.target is following:
        return branch.test, branch.true
    return (negated(branch.test), branch.false) if branch.true.target is following else None
