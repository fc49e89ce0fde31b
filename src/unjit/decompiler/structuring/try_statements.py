"""`try`, `with` and their kin: what a block that enters a protected region begins.

An `else` suite is what only the body of a `try` comes to. Where every clause leaves, so is the code after the
statement; on 3.11 the compiler lays the suite out before the clauses, which tells the two apart.
"""

from __future__ import annotations

import abc
import ast
import copy
from dataclasses import dataclass
from typing import NamedTuple

from unjit.bytecode import versions as v
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.flow.exits import is_bare_exit, same_exit
from unjit.decompiler.ir.flow.graph import Block, Branch, Construct, Edge, EnterTry, Jump
from unjit.decompiler.ir.flow.jumps import comes_to_the_same, pass_values
from unjit.decompiler.ir.tree.constants import is_none
from unjit.decompiler.ir.tree.endings import ends
from unjit.decompiler.ir.tree.nodes import MatchesException, MatchesGroup, Reraise
from unjit.decompiler.ir.tree.notes import is_passed, offset_of
from unjit.decompiler.ir.tree.suites import Suite
from unjit.decompiler.structuring.else_suites import ElseSuites
from unjit.decompiler.structuring.placement import Placement
from unjit.decompiler.structuring.statements import (
    except_clause,
    passing,
    try_finally,
    try_star,
    with_statement,
    with_two_ways_on,
)

BEFORE_ALL = 0  # before every line, so that a jump with any line at all counts as a statement
_END_OF_FINALLY = Block(0)  # what follows such a suite: no edge leads to it, and no `return` stands for it


@dataclass
class OpenLoop:
    """A loop that is being written: `continue` goes to its header, `break` to what follows it."""

    header: Block
    follow: Block | None
    broken: bool = False


class Onward(NamedTuple):
    """A block that is to be written at the end of `out`, where falling through leads to `follow`."""

    block: Block
    follow: Block | None
    out: Suite


class TryStatements(abc.ABC):
    """The part of structuring that writes protected regions."""

    has_returns: bool  # `return` is a statement of it
    placement: Placement
    else_suites: ElseSuites
    open: list[OpenLoop]
    done: set[Block]

    @abc.abstractmethod
    def emit(self, block: Block, follow: Block | None) -> Suite:
        """Statements from `block` on; control that falls off their end goes to `follow` (None: the end)."""

    @abc.abstractmethod
    def goto(self, edge: Edge, follow: Block | None, line: int | None = None) -> Suite:
        """What makes control go along `edge`, at a place where falling through leads to `follow`."""

    @abc.abstractmethod
    def go_on(self, edge: Edge, follow: Block | None, out: Suite, line: int | None = None) -> Onward | None:
        """The same, at the end of `out`; where the target is written in place, that is left to the caller."""

    @abc.abstractmethod
    def is_in_place(self, target: Block) -> bool:
        """Whether a block is written where the one edge to it is."""

    @abc.abstractmethod
    def continue_after(self, line: int | None, follow: Block | None) -> Suite:
        """The `continue` on this line, after a statement whose end goes back to a loop, if one stands there."""

    def try_(self, enter: EnterTry, after: list[Block], follow: Block | None, out: Suite) -> Onward | None:
        """Emit the protected region as its statement, and take what that holds off the blocks that stand after it."""
        if enter.construct is Construct.WITH:
            return self.with_(enter, after, follow, out)
        first = after[0] if after else follow
        if enter.construct is Construct.FINALLY:
            body = self.goto(enter.body, first)
            final = self.emit(enter.caught.target, _END_OF_FINALLY)
            if ends(final) and _ends_in_unwritten_return(body):  # nothing follows a suite that never ends
                body.pop()
            out.append(try_finally(body or [ast.Pass()], final or [ast.Pass()]))
            out += self.continue_after(enter.continued, first)
        elif self._splits_groups(enter.caught.target):
            self.try_star(enter, after, follow, out)
        else:
            self._try_except(enter, after, follow, out)
        return None

    def _try_except(self, enter: EnterTry, after: list[Block], follow: Block | None, out: Suite) -> None:
        """Emit a `try` with its clauses, and as its `else` what only the body comes to, where that was written so."""
        first, second = [*after, follow, follow][:2]
        may_have_else = has_else = bool(after) and self._only_from_body(after[0], enter.handler)
        header = self.open[-1].header if self.open else None
        is_before_clauses = has_else and self.else_suites.stands_before_clauses(
            after[0], enter, header if second is header else None
        )
        if has_else and not is_before_clauses and second is header:
            has_else = not self.else_suites.stands_after_all(enter, second)
        elif has_else and header is None and second is not None and same_exit(second, None):
            has_else = not self.else_suites.stands_after_clauses(after[0], enter)
        body = self.goto(enter.body, first)
        handlers = self.handlers(enter.caught.target, second if has_else else first)
        statement = ast.Try(body or [ast.Pass()], handlers, [], [])
        out.append(statement)
        if may_have_else and second is None and any(is_passed(handler.body[-1]) for handler in handlers):
            has_else = True
            _pass_to_the_end(handlers)
        elif all(ends(handler.body) for handler in handlers):
            has_else = is_before_clauses and not v.PY312
        if has_else:
            statement.orelse = self.emit(after.pop(0), second)

    def _splits_groups(self, block: Block) -> bool:
        return isinstance(block.terminator, Branch) and isinstance(block.terminator.test, MatchesGroup)

    def try_star(self, enter: EnterTry, after: list[Block], follow: Block | None, out: Suite) -> None:
        """`except*`: every clause gets its part of the group, so each suite falls through to the next clause."""
        first, second = [*after, follow, follow][:2]
        has_else = bool(after) and self._only_from_body(after[0], enter.handler)
        body, block = self.goto(enter.body, first), enter.caught.target
        clauses: list[ast.ExceptHandler] = []
        while self._splits_groups(block) and not block.statements:
            clauses.append(self._star_clause(block))
            block = block.terminator.edges()[1].target
        statement = try_star(body, clauses)
        out.append(statement)
        if has_else:
            statement.orelse = self.emit(after.pop(0), second)
        self._after_star(block, second if has_else else first, statement, out)

    def _star_clause(self, block: Block) -> ast.ExceptHandler:
        """The clause whose type the block asks for."""
        branch = block.terminator
        assert isinstance(branch, Branch)
        assert isinstance(branch.test, MatchesGroup)
        self.done.add(block)
        following = branch.false.target
        if self.placement.after_block.get(block, [following]) != [following]:
            raise CannotExpress("a clause of except* goes on elsewhere than at the next")
        around, self.open = self.open, []  # nothing in a clause goes on with a loop that is around it
        body = self.goto(branch.true, following)
        self.open = around
        return except_clause(branch.test.type, body)

    def _after_star(self, block: Block, follow: Block | None, statement: ast.Try, out: Suite) -> None:
        """Emit what follows the clauses, to which the body comes too, if it comes to its end."""
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

    def with_(self, enter: EnterTry, after: list[Block], follow: Block | None, out: Suite) -> Onward | None:
        entered = enter.manager
        if entered is None or not out or out[-1] is not entered:
            raise CannotExpress("a context manager is entered before other code that its exit protects")
        out.pop()
        first = after[0] if after else follow
        body = self.goto(enter.body, first)
        if comes_to_the_same(enter.caught.target, first):
            out += [with_statement(entered, body), *pass_values(enter.caught)]
            out += self.continue_after(enter.continued, first)
            return None
        if ends(body) or (first is None and self.has_returns):
            body += [] if ends(body) else [ast.Return(None)]  # it came to the end of the function
        elif first is not None and is_bare_exit(first):  # after the with, what is swallowed would come to it as well
            body += [copy.copy(statement) for statement in first.statements]
            first = [*after[1:], follow][0]
            del after[:1]
        elif self.open and first is self.open[-1].header:  # the swallowed exception comes to what stands in between
            body.append(ast.Continue())
        else:
            out += with_two_ways_on(entered, body, self.goto(enter.caught, first))
            return None
        out.append(with_statement(entered, body))
        return self.go_on(enter.caught, first, out)

    def _only_from_body(self, block: Block, handler: int) -> bool:
        """Whether only the body of the `try` with this handler comes to the block, as it does to an `else` suite."""
        return all(
            any(region.kind == "try" and region.handler == handler for region in entry.region)
            for entry in self.placement.forward_entries[block]
        )

    def handlers(self, block: Block, follow: Block | None) -> list[ast.ExceptHandler]:
        """The except clauses: tests on the exception's type, one after the other, then whatever remains."""
        clauses: list[ast.ExceptHandler] = []
        while isinstance(block.terminator, Branch) and isinstance(block.terminator.test, MatchesException):
            if block.statements or block in self.placement.after_block:
                break
            self.done.add(block)
            branch = block.terminator
            assert isinstance(branch.test, MatchesException)
            clauses.append(except_clause(branch.test.type, self.goto(branch.true, follow)))
            if not self.is_in_place(branch.false.target):
                clauses.append(except_clause(None, self.goto(branch.false, follow)))
                return clauses
            block = branch.false.target
        rest = self.emit(block, follow)
        if not clauses or not (len(rest) == 1 and isinstance(rest[0], Reraise)):
            clauses.append(except_clause(None, rest))
        return clauses


def _pass_to_the_end(handlers: list[ast.ExceptHandler]) -> None:
    """Say `pass` where that is what was written of clauses that come to the end of the function."""
    for handler in handlers:
        if is_passed(handler.body[-1]):
            handler.body[-1] = passing(handler.body[-1])


def _ends_in_unwritten_return(body: Suite) -> bool:
    """Whether the last statement is a return of nothing that no instruction stands for."""
    last = body[-1] if body else None
    if not isinstance(last, ast.Return) or offset_of(last) is not None:
        return False
    return last.value is None or is_none(last.value)
