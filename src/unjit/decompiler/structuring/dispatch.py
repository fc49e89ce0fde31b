"""The graph as a loop that does one block a turn: total, and only for control flow that has no statements of its own.

A variable, the selector, holds the number of the block to do next. Protected regions and handlers have a loop of
their own inside their statement, because that is where their blocks must run; a number that a loop does not know ends
it, and the loop around takes over. No exception steers anything: `finally`, `__exit__` and handlers in between would
see it.
"""

from __future__ import annotations

import ast

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.flow.graph import (
    Block,
    Branch,
    Construct,
    Edge,
    EnterTry,
    Graph,
    Jump,
    Match,
    NextItem,
    Path,
    Region,
)
from unjit.decompiler.ir.flow.jumps import pass_values
from unjit.decompiler.ir.tree.negation import negated
from unjit.decompiler.ir.tree.nodes import ASKED_BY_STATEMENTS, EnterWith, Helper, MatchesException, Temp
from unjit.decompiler.ir.tree.suites import Suite
from unjit.decompiler.structuring.statements import except_clause, match_statement, with_two_ways_on


def dispatch(graph: Graph) -> Suite:
    """The statements of the function. Raises CannotExpress for what even this has no statement for."""
    return _Dispatcher(graph).function()


class _Dispatcher:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.blocks = graph.reachable()
        self.number = {block: k for k, block in enumerate(self.blocks)}
        self.selector = Temp()
        self.selector.uses = 2
        self.heads = _handler_heads(self.blocks)
        self.by_region: dict[Path, list[Block]] = {}
        for block in self.blocks:
            if block not in self.heads:
                self.by_region.setdefault(block.region, []).append(block)

    def function(self) -> Suite:
        return [self._select(self.graph.entry), self._loop(self.graph.entry.region)]

    def _loop(self, region: Path) -> ast.While:
        """Do the blocks of one region until the selector names one outside."""
        outside: Suite = [ast.Break()] if region else []
        chain = outside
        for block in reversed(self.by_region.get(region, [])):
            chain = [ast.If(self._selected(block), self._block(block) or [ast.Pass()], chain)]
        return ast.While(ast.Constant(True), chain or [ast.Pass()], [])

    def _selected(self, block: Block) -> ast.expr:
        return ast.Compare(self.selector, [ast.Eq()], [ast.Constant(self.number[block])])

    def _select(self, block: Block) -> ast.stmt:
        return ast.Assign([self.selector], ast.Constant(self.number[block]))

    def _goto(self, edge: Edge) -> Suite:
        return [*pass_values(edge), self._select(edge.target)]

    # ------------------------------------------------------------ blocks
    def _block(self, block: Block) -> Suite:
        statements = [s for s in block.statements if not isinstance(s, EnterWith)]
        terminator = block.terminator
        if isinstance(terminator, Jump):
            return [*statements, *self._goto(terminator.edge)]
        if isinstance(terminator, Branch):
            return [*statements, *self._branch(terminator)]
        if isinstance(terminator, NextItem):
            return [*statements, *self._next(terminator)]
        if isinstance(terminator, Match):
            return [*statements, self._match(terminator)]
        if isinstance(terminator, EnterTry):
            return [*statements, *self._enter(terminator, block)]
        return statements

    def _branch(self, branch: Branch) -> Suite:
        if isinstance(branch.test, ASKED_BY_STATEMENTS):
            raise CannotExpress("an exception is matched outside the head of its handler")
        then, other = self._goto(branch.true), self._goto(branch.false)
        if branch.falls_through:
            return [ast.If(branch.test, then, other)]
        return [ast.If(negated(branch.test), other, then)]

    def _match(self, match: Match) -> ast.stmt:
        def suite(edge: Edge | None) -> Suite:
            return [] if edge is None else self._goto(edge)

        cases = [(case, suite(case.edge)) for case in match.cases]
        return match_statement(match.subject, cases, suite(match.otherwise) or None)

    def _next(self, head: NextItem) -> Suite:
        """One step of an iterator: a for loop that is left after the first item."""
        if head.is_async:
            raise CannotExpress("an async iterator is stepped outside a loop")
        body = [*self._goto(head.body), ast.Break()]
        return [ast.For(head.item, Helper("FOR_ITER", [head.iterator]), body, self._goto(head.exhausted))]

    # ------------------------------------------------------------ regions
    def _enter(self, enter: EnterTry, pad: Block) -> Suite:
        inside = (*pad.region, Region("try", enter.handler))
        caught = (*pad.region, Region("except", enter.handler))
        body: Suite = [*self._goto(enter.body), self._loop(inside)]
        if enter.construct is Construct.WITH:
            return self._with(enter, body)
        if enter.construct is Construct.FINALLY:
            raise CannotExpress("a finally suite needs more than its own statements")
        handlers = self._handlers(enter.caught.target, caught)
        return [ast.Try(body, handlers, [], [])]

    def _with(self, enter: EnterTry, body: Suite) -> Suite:
        """What follows depends on whether the body came to its end or its exception was swallowed."""
        assert enter.manager is not None
        return with_two_ways_on(enter.manager, body, self._goto(enter.caught))

    def _handlers(self, block: Block, region: Path) -> list[ast.ExceptHandler]:
        """Clauses for the tests at the head of the handler, then one for whatever remains."""
        clauses: list[ast.ExceptHandler] = []
        while block in self.heads:
            branch = block.terminator
            assert isinstance(branch, Branch)
            assert isinstance(branch.test, MatchesException)
            clauses.append(self._clause(branch.test.type, branch.true.target, region))
            block = branch.false.target
        clauses.append(self._clause(None, block, region))
        return clauses

    def _clause(self, type_: ast.expr | None, first: Block, region: Path) -> ast.ExceptHandler:
        bound = first.statements[0] if first.statements else None
        clause = except_clause(type_, [bound] if bound is not None else [])
        if clause.name is not None:
            del first.statements[0]
        clause.body = [self._select(first), self._loop(region)]
        return clause


def _handler_heads(blocks: list[Block]) -> set[Block]:
    """Blocks that only ask which exception it is, one after the other from the start of a handler."""
    heads: set[Block] = set()
    for pad in blocks:
        if isinstance(pad.terminator, EnterTry) and pad.terminator.construct is Construct.TRY:
            block = pad.terminator.caught.target
            while isinstance(block.terminator, Branch) and isinstance(block.terminator.test, MatchesException):
                if block.statements or block in heads:
                    break
                heads.add(block)
                block = block.terminator.false.target
    return heads
