"""The graph as nested statements.

Each block is emitted once. An edge becomes a fall-through, `break`, `continue`, or the block it enters in place; see
`place_blocks` for which blocks stand where. An edge that is none of these is refused, and the next tier takes over.
"""

from __future__ import annotations

import ast
import copy
import functools
import itertools
from dataclasses import replace

from unjit.decompiler.errors import CannotExpress, NoStatement
from unjit.decompiler.ir.as_written.asked_tests import as_asked
from unjit.decompiler.ir.as_written.jump_places import JumpPlaces
from unjit.decompiler.ir.as_written.jump_words import going_on, written_alone
from unjit.decompiler.ir.flow.exits import is_bare_exit, is_never_reached, just_ends, returns_on_its_line, same_exit
from unjit.decompiler.ir.flow.graph import Block, Branch, Edge, EnterTry, Graph, Jump, Leave, Match, NextItem
from unjit.decompiler.ir.flow.jumps import only_jump, pass_values, shows_case_for_all
from unjit.decompiler.ir.tree.endings import ends, mark_ending
from unjit.decompiler.ir.tree.negation import negated
from unjit.decompiler.ir.tree.nodes import (
    ASKED_BY_STATEMENTS,
)
from unjit.decompiler.ir.tree.notes import copy_mark
from unjit.decompiler.ir.tree.suites import Suite
from unjit.decompiler.kinds import kind_of
from unjit.decompiler.structuring.else_suites import ElseSuites
from unjit.decompiler.structuring.multi_level_exits import leave_one_by_one
from unjit.decompiler.structuring.place_blocks import place_blocks
from unjit.decompiler.structuring.placement import Placement
from unjit.decompiler.structuring.statements import (
    arms_of,
    if_statement,
    iterable_of,
    match_statement,
    passed,
    returned_at_once,
    returned_nothing,
    while_loop,
)
from unjit.decompiler.structuring.try_statements import BEFORE_ALL, Onward, OpenLoop, TryStatements


def structure(graph: Graph) -> Suite:
    """The statements of the function. Raises CannotExpress for control flow that needs more than Python has."""
    only = graph.entry
    if isinstance(only.terminator, Leave):  # nothing has to be placed
        return only.statements[:-1] if just_ends(only, graph) else only.statements
    return _Structurer(graph, place_blocks(graph)).function()


def structure_one_loop_at_a_time(graph: Graph) -> Suite:
    """The same where something leaves several loops at once: by a break out of each."""
    placement = place_blocks(graph)
    leave_one_by_one(graph, placement)
    return _Structurer(graph, placement).function()


class _Structurer(TryStatements):
    def __init__(self, graph: Graph, placement: Placement) -> None:
        self.graph = graph
        self.has_returns = kind_of(graph.code).has_returns
        self.placement = placement
        self.else_suites = ElseSuites(placement.dominators, graph.positions)
        self.loops = placement.loops
        self.after_statements = {block for after in placement.after_block.values() for block in after}
        self.open: list[OpenLoop] = []
        self.jump_places = JumpPlaces(graph)
        self.opened: set[Block] = set()
        self.done: set[Block] = set()

    def function(self) -> Suite:
        return self.emit(self.graph.entry, None)

    # ------------------------------------------------------------ blocks
    def emit(self, block: Block, follow: Block | None) -> Suite:
        """Statements from `block` on; control that falls off their end goes to `follow` (None: the end)."""
        out: Suite = []
        self.emit_into(block, follow, out)
        return out

    def emit_into(self, block: Block | None, follow: Block | None, out: Suite) -> None:
        """Append the statements from `block` on.

        What a statement leads to at its end is gone on with here, so that a chain of `elif`, or of statements that
        only fall through to the next, may be as long as it likes.
        """
        waiting: list[tuple[list[Block], Block | None, Suite]] = []
        while block is not None or waiting:
            if block is None:
                after, follow, out = waiting.pop()
                block = self.rest(after, out)
            elif block in self.loops and block not in self.opened:
                block = self.loop(block, follow, out)
            else:
                after = self.begin(block, out)
                onward = self.terminator(block, after, follow, out)
                if onward is None:
                    block = self.rest(after, out)
                else:
                    if after:
                        waiting.append((after, follow, out))
                    block, follow, out = onward

    def begin(self, block: Block, out: Suite) -> list[Block]:
        """Emit what a block does before it goes on; give the blocks that stand after it."""
        if block in self.done:
            raise CannotExpress(f"the code at offset {block.offset} is needed in two places")
        self.done.add(block)
        out += block.statements
        return list(self.placement.after_block.get(block, ()))

    def rest(self, after: list[Block], out: Suite) -> Block | None:
        """Emit the blocks that stand after a statement, all but the last, which is given back to go on with."""
        if after and ends(out):  # only bare exits led there, and they were copied
            return None
        return self.sequence(after, out)

    def sequence(self, after: list[Block], out: Suite) -> Block | None:
        """Emit blocks that fall through to one another, all but the last, which is given back, if there is one."""
        for block, following in itertools.pairwise(after):
            self.emit_into(block, following, out)
        return after[-1] if after else None

    def terminator(self, block: Block, after: list[Block], follow: Block | None, out: Suite) -> Onward | None:
        """Emit the statement that ends `block`, and take what it holds off the blocks that stand after it."""
        terminator, first = block.terminator, after[0] if after else follow
        if isinstance(terminator, Branch):
            return self.branch(terminator, first, block.last_line, out)
        if isinstance(terminator, Jump):
            onward = self.jump(terminator.edge, first, out, in_place=not after)
            if onward is None and self._says_continue(block, terminator.edge.target) and not ends(out):
                out.append(ast.Continue())
            self.jump_places.note(out, terminator.edge, block)
            return onward
        if isinstance(terminator, Match):
            return self.match(terminator, first, out)
        if isinstance(terminator, EnterTry):
            return self.try_(terminator, after, follow, out)
        if isinstance(terminator, NextItem):
            raise CannotExpress(f"the item taken at offset {block.offset} belongs to no for loop")
        is_end = not self.open and (follow is None or same_exit(follow, None)) and just_ends(block, self.graph)
        if is_end or is_never_reached(block, follow):
            out.pop()
        return None

    def _says_continue(self, block: Block, target: Block) -> bool:
        """Whether a `continue` was written at the end of a block that goes on with the loop in any case."""
        goes_on = bool(self.open) and self.open[-1].header in (target, _onward(target))
        return goes_on and self.jump_places.ends_in_continue(block)

    def jump(self, edge: Edge, follow: Block | None, out: Suite, *, in_place: bool) -> Onward | None:
        """Emit what makes control go along the edge that ends a block; `in_place` if its target may stand there."""
        if in_place and edge.target is not follow and self.is_in_place(edge.target):
            out += pass_values(edge)
            return Onward(edge.target, follow, out)
        return self.go_on(edge, follow, out, BEFORE_ALL)

    # ------------------------------------------------------------ edges
    def goto(self, edge: Edge, follow: Block | None, line: int | None = None) -> Suite:
        """What makes control go along `edge`, at a place where falling through leads to `follow`.

        `line` is that of the test before: where falling through would do, a jump statement is written if the edge has a
        line of its own.
        """
        jumping = self.jump_statement(edge, follow, line)
        return pass_values(edge) + (self.emit(edge.target, follow) if jumping is None else jumping)

    def go_on(self, edge: Edge, follow: Block | None, out: Suite, line: int | None = None) -> Onward | None:
        """The same at the end of `out`, but for the block that is written in place."""
        jumping = self.jump_statement(edge, follow, line)
        out += pass_values(edge) + (jumping or [])
        return Onward(edge.target, follow, out) if jumping is None else None

    def jump_statement(self, edge: Edge, follow: Block | None, line: int | None = None) -> Suite | None:
        """The jump statement that goes along `edge`, none where falling through does; None for a target in place.

        Raises NoStatement where no statement of Python leads there.
        """
        target = edge.target
        if target is follow:
            if line is None or edge.line is None or (edge.line == line and not edge.leaves):
                return []
            returns = edge.leaves and self.has_returns and not self.open and same_exit(target, None)
            return [ast.Return(None) if returns else self._going_on(target, edge.line)]
        if same_exit(target, follow) and not returns_on_its_line(target, follow):
            own_line = (line is not None and target.first_line not in (None, line)) or not just_ends(target, self.graph)
            return [returned_nothing(target)] if own_line and follow is None and not self.open else []
        if self.open:
            loop = self.open[-1]
            if target is loop.header:
                return self.jump_places.note([ast.Continue()], edge)
            if loop.follow is not None and target in (loop.follow, _onward(loop.follow)):
                loop.broken = True
                return self.jump_places.note([ast.Break()], edge)
        if self.is_in_place(target) and target not in self.done:
            return None
        if is_bare_exit(target):
            return [] if is_never_reached(target, follow) else [copy.copy(each) for each in target.statements]
        jump = None if target in self.loops else only_jump(target)
        if jump is None:
            raise self._no_statement(target)
        jumping = self.jump_statement(jump, follow, line)
        return jumping and self.jump_places.note(jumping, jump, target)

    def _no_statement(self, target: Block) -> NoStatement:
        header = self.open[-1].header if self.open else None
        is_inside = header is None or target in self.loops[header].blocks
        message = f"the jump to offset {target.offset} has no statement of its own"
        return NoStatement(message, target.index, None if is_inside or header is None else header.index)

    def _going_on(self, target: Block, line: int) -> ast.stmt:
        """The statement that was written where control goes the same way without any: `continue` or `pass`."""
        header = self.open[-1].header if self.open else None
        jump = only_jump(target)
        goes_back = header is not None and (target is header or (jump is not None and jump.target is header))
        return (going_on(line, self.graph.positions) or ast.Continue()) if goes_back else ast.Pass()

    def is_in_place(self, target: Block) -> bool:
        """Whether a block is written where the one edge to it is."""
        return target not in self.placement.placed and target not in self.opened

    # ------------------------------------------------------------ if
    def branch(self, branch: Branch, follow: Block | None, line: int | None, out: Suite) -> Onward | None:
        """Emit the `if`, but for what its last arm is, where that is written in place."""
        if isinstance(branch.test, ASKED_BY_STATEMENTS):
            raise CannotExpress("an exception is matched outside the head of its handler")
        test, near, far = arms_of(branch, self.graph.positions)
        body = self.goto(near, follow, line) or returned_at_once(near, far)
        jumping = self.jump_statement(far, follow, line if self._is_written(far, near) else None)
        if jumping != [] and not body and passed(near, far):
            body = [ast.Pass()]
        if jumping is not None or not body:
            out += if_statement(
                test, body, pass_values(far) + jumping if jumping is not None else self.goto(far, follow)
            )
            return None
        (statement,) = if_statement(test, body, [])
        assert isinstance(statement, ast.If)
        out.append(statement)
        suite = out if ends(body) else statement.orelse
        suite += pass_values(far)
        return Onward(far.target, follow, suite)

    def _is_written(self, far: Edge, near: Edge) -> bool:
        """Whether the other arm of an `if` is a `pass` or `continue`: alone on its line, after the first arm."""
        if far.line is None or far.line <= (near.target.last_line or far.line):
            return False
        return far.line in self.written_alone

    @functools.cached_property
    def written_alone(self) -> set[int]:
        """The lines of nothing but a `pass` or `continue`, once that was asked."""
        return written_alone(self.graph)

    def match(self, match: Match, follow: Block | None, out: Suite) -> Onward | None:
        """Emit the match; what is done if no case matches is a `case _`, or stands after it where all cases leave."""
        cases = [(case, [] if case.edge is None else self.goto(case.edge, follow)) for case in match.cases]
        if match.otherwise is None:
            out.append(match_statement(match.subject, cases, None))
            return None
        suite: Suite = []
        onward = self.go_on(match.otherwise, follow, suite)
        if onward is None and not suite:
            suite = self._written_for_all(match.otherwise)
        suites = [body for _, body in cases]
        is_after = not shows_case_for_all(match.otherwise.target)
        if is_after and (
            all(map(ends, suites)) or (onward is not None and self.end_by_continue(match, suites, follow))
        ):
            out += [match_statement(match.subject, cases, None), *suite]
            return onward and onward._replace(out=out)
        out.append(match_statement(match.subject, cases, None if onward is None and not suite else suite))
        return onward

    def _written_for_all(self, edge: Edge) -> Suite:
        """The `continue` or `pass` of a `case _` that only goes on: it has left a NOP, and a jump after that."""
        passed = edge.via
        jump = passed.instrs[-1] if passed is not None and passed.instrs else None
        if passed is None or jump is None or jump.line is None or not shows_case_for_all(passed):
            return []
        word = going_on(jump.line, self.graph.positions)
        return [word] if word is not None else []

    def end_by_continue(self, match: Match, suites: list[Suite], follow: Block | None) -> bool:
        """End the suites that fall through to the loop's head by `continue`, if one of the cases is written so."""
        header = self.open[-1].header if self.open else None
        edges = [case.edge for case in match.cases if case.edge is not None]
        if header is None or follow is not header or not any(e.target is header and e.line is not None for e in edges):
            return False
        for suite in suites:
            if not ends(suite):
                suite.append(ast.Continue())
        return True

    # ------------------------------------------------------------ loops
    def loop(self, header: Block, follow: Block | None, out: Suite) -> Block | None:
        """Emit a loop, and what follows it but for the last block of that, which is given back."""
        after = self.placement.after_loop.get(header, [])
        first = after[0] if after else follow
        onward = first if after else self._way_out(header, follow)
        self.open.append(frame := OpenLoop(header, onward))
        self.opened.add(header)
        loop, exit_edge = self._loop_statement(header, out)
        self.open.pop()
        out.append(loop)
        if exit_edge is None:
            mark_ending(loop, ending=not frame.broken)
        elif exit_edge.target is not onward:
            if not after and not frame.broken:
                left_to = self.jump(exit_edge, follow, out, in_place=True)  # at the end of `out`, as is the rest
                return left_to and left_to.block
            otherwise = self.goto(exit_edge, onward)
            if frame.broken:
                loop.orelse = otherwise
            else:
                out += otherwise
        else:
            loop.orelse = pass_values(exit_edge)
            out += self._continue_after(header, exit_edge)
        if onward is not first and onward is not None and not ends(out):
            way = Edge(onward)
            if exit_edge is not None and exit_edge.target is onward:
                way = replace(exit_edge, args=[])  # which are stored by now
            out += self.goto(way, first)
        return self.sequence(after, out)

    def continue_after(self, line: int | None, follow: Block | None) -> Suite:
        """The `continue` on the line of the jump back to a loop, after a `with` or `finally`, if one stands there."""
        if line is None or not self.open or follow is not self.open[-1].header:
            return []
        word = going_on(line, self.graph.positions)
        if word is None and not any(self.graph.positions.on_line(line)):
            word = ast.Continue()  # where no columns tell, a `pass` would look the same
        return [word] if isinstance(word, ast.Continue) else []

    def _continue_after(self, header: Block, exit_edge: Edge) -> Suite:
        """The `continue` that stands after the loop of `header`, if one does: the jump back has a line below it."""
        line, target = exit_edge.line, exit_edge.target
        if not self.open or target is not self.open[-1].header or line is None:
            return []
        return [self._going_on(target, line)] if line > self.loops[header].last_line else []

    def _way_out(self, header: Block, follow: Block | None) -> Block | None:
        """The block that a `break` leads to: after the loop, or where a `break` or `continue` there leads at once."""
        exits = self.loops[header].ways_out(lambda block: block is not follow and self._is_within(header, block))
        around = [self.open[-1].header, self.open[-1].follow] if self.open and follow not in exits else []
        return next((block for block in around if block in exits), follow)

    def _is_within(self, header: Block, block: Block) -> bool:
        """Whether the block is written where the loop leads to it, or after a statement there."""
        is_within = block in self.after_statements and self.placement.dominators.dominates(header, block)
        return is_within or self.is_in_place(block)

    def _loop_statement(self, header: Block, out: Suite) -> tuple[ast.For | ast.AsyncFor | ast.While, Edge | None]:
        """The loop, and the edge by which it ends by itself: exhausted, or by its test; None for `while True`."""
        head = header.terminator
        if isinstance(head, NextItem) and (self.loops[header].once or not header.statements):
            out += header.statements
            return self._for(header, head, out), head.exhausted
        leave = self.loops[header].exit_of_test()
        if isinstance(head, Branch) and leave is not None and not header.params:
            self.done.add(header)
            stay, test = (head.true, head.test) if leave is head.false else (head.false, negated(head.test))
            return while_loop(
                as_asked(test), self._body(stay, self.placement.after_block.get(header, []), header)
            ), leave
        body: Suite = []
        self.emit_into(header, header, body)
        return while_loop(ast.Constant(True), body), None

    def _body(self, edge: Edge, after: list[Block], header: Block) -> Suite:
        statements = self.goto(edge, after[0] if after else header)
        self.emit_into(self.sequence(after, statements), header, statements)
        return statements

    def _for(self, header: Block, head: NextItem, out: Suite) -> ast.For | ast.AsyncFor:
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


def _onward(block: Block) -> Block | None:
    """Where a block goes that does nothing but go on."""
    jump = only_jump(block)
    return None if jump is None else jump.target
