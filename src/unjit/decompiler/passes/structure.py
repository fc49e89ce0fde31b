"""The graph as nested statements.

Each block is emitted once. An edge becomes a fall-through, `break`, `continue`, or the block it enters in place; see
`place_blocks` for which blocks stand where. An edge that is none of these is refused, and the next tier takes over.
"""

from __future__ import annotations

import ast
import copy
import itertools
from dataclasses import dataclass

from unjit.bytecode import versions as v
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.graph import Block, Branch, Construct, Edge, EnterTry, Graph, Jump, Match, NextItem
from unjit.decompiler.ir.nodes import (
    ASKED_BY_STATEMENTS,
    MatchesException,
    MatchesGroup,
    Reraise,
    copy_mark,
)
from unjit.decompiler.passes.exits import is_bare_exit, just_ends, only_jump, pass_values, same_exit
from unjit.decompiler.passes.place_blocks import Placement, place_blocks
from unjit.decompiler.passes.statements import (
    ends,
    except_clause,
    if_statement,
    iterable_of,
    mark_ending,
    match_statement,
    negated,
    returned_at_once,
    try_finally,
    try_star,
    while_loop,
    with_statement,
    with_two_ways_on,
)

Statements = list[ast.stmt]


def structure(graph: Graph) -> Statements:
    """The statements of the function. Raises CannotExpress for control flow that needs more than Python has."""
    return _Structurer(graph, place_blocks(graph)).function()


@dataclass
class _OpenLoop:
    header: Block
    follow: Block | None
    broken: bool = False


class _Structurer:
    def __init__(self, graph: Graph, placement: Placement) -> None:
        self.graph = graph
        self.placement = placement
        self.loops = placement.loops
        self.open: list[_OpenLoop] = []
        self.opened: set[Block] = set()
        self.done: set[Block] = set()

    def function(self) -> Statements:
        return self.emit(self.graph.entry, None)

    # ------------------------------------------------------------ blocks
    def emit(self, block: Block, follow: Block | None) -> Statements:
        """Statements from `block` on; control that falls off their end goes to `follow` (None: the end)."""
        out: Statements = []
        self.emit_into(block, follow, out)
        return out

    def emit_into(self, block: Block | None, follow: Block | None, out: Statements) -> None:
        """Append the statements from `block` on.

        The last arm of an `if` is gone on with here, so that a chain of `elif` may be as long as it likes.
        """
        waiting: list[tuple[list[Block], Block | None, Statements]] = []
        while block is not None or waiting:
            if block is None:
                behind, follow, out = waiting.pop()
                block = self.rest(behind, out)
            elif block in self.loops and block not in self.opened:
                block = self.loop(block, follow, out)
            elif isinstance(block.terminator, Branch):
                behind, branch = self.begin(block, out), block.terminator
                first = behind[0] if behind else follow
                last = self.branch(branch, first, block.last_line, out)
                if last is None:
                    block = self.rest(behind, out)
                else:
                    waiting.append((behind, follow, out))
                    block, follow, out = last[0], first, last[1]
            else:
                block = self.block(block, follow, out)

    def begin(self, block: Block, out: Statements) -> list[Block]:
        """Emit what a block does before it goes on; give the blocks that stand behind it."""
        if block in self.done:
            raise CannotExpress(f"the code at offset {block.offset} is needed in two places")
        self.done.add(block)
        out += block.statements
        return self.placement.after_block.get(block, [])

    def block(self, block: Block, follow: Block | None, out: Statements) -> Block | None:
        """Emit one block and what stands behind it but the last; give that last one."""
        behind = self.begin(block, out)
        if not behind and isinstance(block.terminator, Jump):
            return self.jump_in_place(block.terminator.edge, follow, out)
        return self.rest(self.terminator(block, behind[0] if behind else follow, behind, follow, out), out)

    def rest(self, behind: list[Block], out: Statements) -> Block | None:
        """Emit what stands behind a statement but the last; give that last one."""
        if behind and ends(out):  # only bare exits led there, and they were copied
            return None
        return self.sequence(behind, out)

    def sequence(self, behind: list[Block], out: Statements) -> Block | None:
        """Blocks one behind the other, each falling through to the next; the last is left to the caller."""
        for block, following in itertools.pairwise(behind):
            self.emit_into(block, following, out)
        return behind[-1] if behind else None

    def jump_in_place(self, edge: Edge, follow: Block | None, out: Statements) -> Block | None:
        if edge.target is not follow and self._in_place(edge.target):
            out += pass_values(edge)
            return edge.target
        out += self.goto(edge, follow)
        return None

    def terminator(
        self, block: Block, first: Block | None, behind: list[Block], follow: Block | None, out: Statements
    ) -> list[Block]:
        """Emit the statement that ends `block`; give the blocks that still stand behind it."""
        terminator = block.terminator
        assert not isinstance(terminator, Branch), "emit_into sees to those"
        if isinstance(terminator, Jump):
            out += self.goto(terminator.edge, first)
        elif isinstance(terminator, Match):
            out.append(self.match(terminator, first))
        elif isinstance(terminator, EnterTry):
            return self.try_(terminator, behind, follow, out)
        elif isinstance(terminator, NextItem):
            raise CannotExpress(f"the item taken at offset {block.offset} belongs to no for loop")
        elif follow is None and not self.open and just_ends(block, self.graph):
            out.pop()
        return behind

    # ------------------------------------------------------------ edges
    def goto(self, edge: Edge, follow: Block | None, line: int | None = None) -> Statements:
        """What makes control go along `edge`, at a place where falling through leads to `follow`.

        `line` is that of the test before: a statement that only goes somewhere is there if it has a line of its own.
        """
        said = self.said(edge, follow, line)
        return pass_values(edge) + (self.emit(edge.target, follow) if said is None else said)

    def said(self, edge: Edge, follow: Block | None, line: int | None = None) -> Statements | None:
        """What says in a word where `edge` goes; None where that is written in place."""
        target = edge.target
        own_line = line is not None and edge.line is not None and edge.line != line
        if target is follow:
            return [self._going_on(target)] if own_line else []
        if same_exit(target, follow):
            own_line = (line is not None and target.first_line not in (None, line)) or not just_ends(target, self.graph)
            return [ast.Return(None)] if own_line and follow is None and not self.open else []
        if self.open:
            loop = self.open[-1]
            if target is loop.header:
                return [ast.Continue()]
            if target is loop.follow and target is not None:
                loop.broken = True
                return [ast.Break()]
        if self._in_place(target) and target not in self.done:
            return None
        if is_bare_exit(target):
            return [copy.copy(statement) for statement in target.statements]
        jump = None if target in self.loops else only_jump(target)
        if jump is None:
            raise CannotExpress(f"the jump to offset {target.offset} has no statement of its own")
        return self.said(jump, follow, line)

    def _going_on(self, target: Block) -> ast.stmt:
        """A statement that changes nothing where control would go the same way without it."""
        return ast.Continue() if self.open and target is self.open[-1].header else ast.Pass()

    def _in_place(self, target: Block) -> bool:
        return target not in self.placement.placed and target not in self.opened

    # ------------------------------------------------------------ if
    def branch(
        self, branch: Branch, follow: Block | None, line: int | None, out: Statements
    ) -> tuple[Block, Statements] | None:
        """Emit the if; where its last arm is written in place, only give the block of that and the suite for it."""
        if isinstance(branch.test, ASKED_BY_STATEMENTS):
            raise CannotExpress("an exception is matched outside the head of its handler")
        near, far = branch.edges()
        test = branch.test if branch.falls_through else negated(branch.test)
        body = self.goto(near, follow, line) or returned_at_once(near, far)
        said = self.said(far, follow)
        if said is not None or not body:
            out += if_statement(test, body, pass_values(far) + said if said is not None else self.goto(far, follow))
            return None
        (statement,) = if_statement(test, body, [])
        assert isinstance(statement, ast.If)
        out.append(statement)
        suite = out if ends(body) else statement.orelse
        suite += pass_values(far)
        return far.target, suite

    def match(self, match: Match, follow: Block | None) -> ast.Match:
        def suite(edge: Edge | None) -> Statements:
            return [] if edge is None else self.goto(edge, follow)

        cases = [(case, suite(case.edge)) for case in match.cases]
        return match_statement(match.subject, cases, suite(match.otherwise))

    # ------------------------------------------------------------ loops
    def loop(self, header: Block, follow: Block | None, out: Statements) -> Block | None:
        behind = self.placement.after_loop.get(header, [])
        first = behind[0] if behind else follow
        onward = first if behind else self._way_out(header, follow)
        self.open.append(frame := _OpenLoop(header, onward))
        self.opened.add(header)
        loop, exit_edge = self._loop_statement(header, out)
        self.open.pop()
        out.append(loop)
        if exit_edge is None:
            mark_ending(loop, ending=not frame.broken)
        elif exit_edge.target is not onward:
            if not behind and not frame.broken:
                return self.jump_in_place(exit_edge, follow, out)
            otherwise = self.goto(exit_edge, onward)
            if frame.broken:
                loop.orelse = otherwise
            else:
                out += otherwise
        else:
            loop.orelse = pass_values(exit_edge)
        if onward is not first and onward is not None and not ends(out):
            out += self.goto(Edge(onward), first)
        return self.sequence(behind, out)

    def _way_out(self, header: Block, follow: Block | None) -> Block | None:
        """Where a break leads: behind the loop, or, where only the loop around is gone on with or left, there."""
        exits = self.loops[header].ways_out(lambda block: block is not follow and self._in_place(block))
        around = [self.open[-1].header, self.open[-1].follow] if self.open and follow not in exits else []
        return next((block for block in around if block in exits), follow)

    def _loop_statement(self, header: Block, out: Statements) -> tuple[ast.For | ast.AsyncFor | ast.While, Edge | None]:
        head = header.terminator
        if isinstance(head, NextItem) and (self.loops[header].once or not header.statements):
            out += header.statements
            return self._for(header, head, out), head.exhausted
        leave = self.loops[header].exit_of_test()
        if isinstance(head, Branch) and leave is not None and not header.params:
            self.done.add(header)
            stay, test = (head.true, head.test) if leave is head.false else (head.false, negated(head.test))
            return while_loop(test, self._body(stay, self.placement.after_block.get(header, []), header)), leave
        body_statements: Statements = []
        self.emit_into(header, header, body_statements)
        return while_loop(ast.Constant(True), body_statements), None

    def _body(self, edge: Edge, behind: list[Block], header: Block) -> Statements:
        statements = self.goto(edge, behind[0] if behind else header)
        self.emit_into(self.sequence(behind, statements), header, statements)
        return statements

    def _for(self, header: Block, head: NextItem, out: Statements) -> ast.For | ast.AsyncFor:
        self.done.add(header)
        iterable = iterable_of(head, out)
        body = self._body(head.body, self.placement.after_block.get(header, []), header)
        target: ast.expr = head.item
        if body and isinstance(body[0], ast.Assign) and body[0].value is head.item and head.item.uses == 1:
            target = body[0].targets[0] if len(body[0].targets) == 1 else target
            if target is not head.item:
                body = body[1:]
        loop = (ast.AsyncFor if head.is_async else ast.For)(target, iterable, body or [ast.Pass()], [])
        copy_mark(head.item, loop)
        return loop

    # ------------------------------------------------------------ try
    def try_(self, enter: EnterTry, behind: list[Block], follow: Block | None, out: Statements) -> list[Block]:
        """Emit the protected region as its statement; give the blocks that still stand behind it."""
        if enter.construct is Construct.WITH:
            return self.with_(enter, behind, follow, out)
        first = behind[0] if behind else follow
        if enter.construct is Construct.FINALLY:
            body = self.goto(enter.body, first)
            final = self.emit(enter.caught.target, None)
            out.append(try_finally(body or [ast.Pass()], final or [ast.Pass()]))
            return behind
        if self._splits_groups(enter.caught.target):
            return self.try_star(enter, behind, follow, out)
        second = [*behind[1:], follow][0]
        only_from_body = bool(behind) and self._only_from_body(behind[0], enter.handler)
        has_word = second is (self.open[-1].header if self.open else None)  # `continue`, or `return`
        if v.PY311 and only_from_body and has_word and behind[0].stands_at > enter.caught.target.offset:
            only_from_body = False  # an else suite stands before the clauses
        body = self.goto(enter.body, first)
        handlers = self.handlers(enter.caught.target, second if only_from_body else first)
        statement = ast.Try(body or [ast.Pass()], handlers, [], [])
        out.append(statement)
        if only_from_body and not all(ends(handler.body) for handler in handlers):
            statement.orelse = self.emit(behind[0], second)
            return behind[1:]
        return behind

    def _splits_groups(self, block: Block) -> bool:
        return isinstance(block.terminator, Branch) and isinstance(block.terminator.test, MatchesGroup)

    def try_star(self, enter: EnterTry, behind: list[Block], follow: Block | None, out: Statements) -> list[Block]:
        """`except*`: every clause gets its part of the group, so each suite falls through to the next clause."""
        first, second = [*behind, follow, follow][:2]
        otherwise = bool(behind) and self._only_from_body(behind[0], enter.handler)
        body, block = self.goto(enter.body, first), enter.caught.target
        clauses: list[ast.ExceptHandler] = []
        while self._splits_groups(block) and not block.statements:
            clauses.append(self._star_clause(block))
            block = block.terminator.edges()[1].target
        statement = try_star(body, clauses)
        out.append(statement)
        if otherwise:
            statement.orelse = self.emit(behind[0], second)
        self._behind_star(block, second if otherwise else first, statement, out)
        return behind[1:] if otherwise else behind

    def _star_clause(self, block: Block) -> ast.ExceptHandler:
        branch = block.terminator
        assert isinstance(branch, Branch)
        assert isinstance(branch.test, MatchesGroup)
        self.done.add(block)
        following = branch.false.target
        if self.placement.after_block.get(block, [following]) != [following]:
            raise CannotExpress("a clause of except* goes on elsewhere than at the next")
        return except_clause(branch.test.type, self.goto(branch.true, following))

    def _behind_star(self, block: Block, follow: Block | None, statement: ast.Try, out: Statements) -> None:
        """Where the clauses go on, which is where the body does too, if it comes to its end."""
        if same_exit(block, follow):
            self.done.add(block)
            return
        jump = block.terminator
        onward = jump.edge if isinstance(jump, Jump) and not block.statements else None
        if onward is not None and (onward.target is follow or same_exit(onward.target, follow)):
            self.done.add(block)
            out += self.goto(onward, follow)
        elif ends(statement.orelse or statement.body):
            out += self.emit(block, follow)
        else:
            raise CannotExpress("except* and its body go on at different places")

    def with_(self, enter: EnterTry, behind: list[Block], follow: Block | None, out: Statements) -> list[Block]:
        entered = enter.manager
        if entered is None or not out or out[-1] is not entered:
            raise CannotExpress("a context manager is entered before other code that its exit protects")
        out.pop()
        first = behind[0] if behind else follow
        body = self.goto(enter.body, first)
        if enter.caught.target is first or same_exit(enter.caught.target, first):
            out += [with_statement(entered, body), *pass_values(enter.caught)]
        elif ends(body):
            out += [with_statement(entered, body), *self.goto(enter.caught, first)]
        elif behind and is_bare_exit(behind[0]):  # behind the with, the swallowed exception would come to it as well
            body += [copy.copy(statement) for statement in behind[0].statements]
            out += [with_statement(entered, body), *self.goto(enter.caught, [*behind[1:], follow][0])]
            return behind[1:]
        elif self.open and first is self.open[-1].header:  # the swallowed exception comes to what stands in between
            out += [with_statement(entered, [*body, ast.Continue()]), *self.goto(enter.caught, first)]
        else:
            out += with_two_ways_on(entered, body, self.goto(enter.caught, first))
        return behind

    def _only_from_body(self, block: Block, handler: int) -> bool:
        return all(
            any(region.kind == "try" and region.handler == handler for region in entry.region)
            for entry in self.placement.forward_entries[block]
        )

    def handlers(self, block: Block, follow: Block | None) -> list[ast.ExceptHandler]:
        """The except clauses: tests on the exception's type, one behind the other, then whatever remains."""
        clauses: list[ast.ExceptHandler] = []
        while isinstance(block.terminator, Branch) and isinstance(block.terminator.test, MatchesException):
            if block.statements or block in self.placement.after_block:
                break
            self.done.add(block)
            branch = block.terminator
            assert isinstance(branch.test, MatchesException)
            clauses.append(except_clause(branch.test.type, self.goto(branch.true, follow)))
            if not self._in_place(branch.false.target):
                clauses.append(except_clause(None, self.goto(branch.false, follow)))
                return clauses
            block = branch.false.target
        rest = self.emit(block, follow)
        if not clauses or not (len(rest) == 1 and isinstance(rest[0], Reraise)):
            clauses.append(except_clause(None, rest))
        return clauses
