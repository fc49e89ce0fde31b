"""Whether one part of the graph is a copy of another.

The compiler writes a finally suite once for each way out of the try. Two copies are the same when a walk along both
finds the same statements and branches at each step; values on the stack are matched one to one. Where the suite is left
by a statement of its own, the walk goes on outside of it, until both come to the same place or leave the function.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from unjit.decompiler.ir.flow.exits import ends_frame
from unjit.decompiler.ir.flow.graph import LEAVE, Block, Branch, Edge, EnterTry, Jump, Leave, NextItem, Path, Terminator
from unjit.decompiler.ir.flow.jumps import onward
from unjit.decompiler.ir.flow.regions import path_after
from unjit.decompiler.ir.flow.unbinding import unbound_name
from unjit.decompiler.ir.tree.compare import same_expression
from unjit.decompiler.ir.tree.negation import negated
from unjit.decompiler.ir.tree.nodes import (
    ATOMS,
    CodeConst,
    Define,
    HandledException,
    Helper,
    MakeFunction,
    ObjectConst,
    Reraise,
    Temp,
)
from unjit.decompiler.passes.cleanups.parts.turned_tests import compared


@dataclass
class Copy:
    """Where a copy starts and ends: after `count` statements of `block`; `blocks` are those wholly within it."""

    start: Block
    block: Block
    count: int
    blocks: list[Block] = field(default_factory=list)


_MOST_BLOCKS = 100  # of one choice: each test in a longer one asks anew, which takes the square of their number


class _Run:
    """What a block does, and, as far as that is asked for, what it alone goes on to."""

    def __init__(self, block: Block) -> None:
        self.statements = list(block.statements)
        self.terminator = block.terminator
        self.last = block
        self.seen = {block}
        self.handed: dict[Temp, ast.expr] = {}

    @property
    def goes_on(self) -> bool:
        return isinstance(self.terminator, Jump)

    def go_on(self) -> bool:
        """Add the statements after a jump; a value that is handed on to be returned goes into its place.

        After a test, add the return of a choice, of which a copy outside of the handler makes one in each arm.
        """
        if isinstance(self.terminator, Branch):
            return self._return_choice(self.terminator)
        jump = self.terminator
        if not isinstance(jump, Jump) or jump.edge.target in self.seen:
            return False
        self.last = block = jump.edge.target
        self.seen.add(block)
        self._hand_on(jump.edge)
        self.statements += block.statements
        self.terminator = block.terminator
        returned = self.statements[-1] if block.statements else None
        if isinstance(returned, ast.Return) and isinstance(returned.value, Temp):
            self._put_returned(returned.value)
        return True

    def _hand_on(self, edge: Edge) -> None:
        """What is computed to be handed on is so before what the block does that it is handed to."""
        for param, arg in zip(edge.target.params, edge.args, strict=True):
            if type(arg) in ATOMS:
                self.handed[param] = arg
            else:
                self.statements.append(Define(param, arg))

    def _put_returned(self, temp: Temp) -> None:
        value: ast.expr = temp
        while isinstance(value, Temp) and value in self.handed:
            value = self.handed.pop(value)
        before = self.statements[-2] if len(self.statements) > 1 else None
        if isinstance(before, Define) and before.temp is value:
            self.statements[-2:] = [ast.Return(before.value)]
        else:
            self.statements[-1] = ast.Return(value)

    def _return_choice(self, branch: Branch) -> bool:
        chosen = _choice_returned(branch, self.seen)
        if chosen is None:
            return False
        self.statements.append(ast.Return(chosen))
        self.terminator = LEAVE
        return True


def _choice_returned(branch: Branch, seen: set[Block]) -> ast.expr | None:
    """The choice between two values of which each arm does nothing but return its own; `seen` are tests before it."""
    then, other = (_returned(edge.target, seen) for edge in branch.edges())
    if then is None or other is None:
        return None
    return ast.IfExp(branch.test if branch.falls_through else negated(branch.test), then, other)


def _returned(block: Block, seen: set[Block]) -> ast.expr | None:
    """What comes to be returned from a block on, if nothing else is done but, perhaps, choose."""
    run = _Run(block)
    while len(run.statements) <= 1 and run.goes_on and run.go_on():
        pass
    if len(seen) > _MOST_BLOCKS:
        return None
    if not run.statements and isinstance(run.terminator, Branch) and seen.isdisjoint(run.seen):
        seen |= run.seen
        return _choice_returned(run.terminator, seen)
    only = run.statements[0] if len(run.statements) == 1 else None
    return only.value if isinstance(only, ast.Return) else None


class Matcher:
    """Walks the suite of a handler, which ends in re-raises, and a copy of it, which goes on somewhere instead."""

    def __init__(self) -> None:
        self.temps: dict[Temp, Temp] = {}
        self.pairs: dict[Block, Block] = {}
        self.region: Path = ()  # of the suite: a handler within it ends in a re-raise of its own
        self.ends: set[tuple[Block, int]] = set()
        self.leaving: set[Block] = set()  # of the copy: blocks that leave it by a statement of its own

    def match(self, suite: Block, copy: Block) -> Copy | None:
        """The end of the copy that starts at `copy`, or None."""
        self.region = suite.region
        work = [(suite, copy)]
        while work:
            ours, theirs = map(onward, work.pop())
            if ours is theirs and self._is_outside(ours):
                continue
            if ours in self.pairs:
                if self.pairs[ours] is not theirs and not self._ends_here(ours, theirs):
                    return None
                continue
            self.pairs[ours] = theirs
            following = self._match_block(ours, theirs)
            if following is None:
                return None
            work += following
        blocks = [b for a, b in self.pairs.items() if not self._is_outside(a) and b not in self.leaving]
        ends = _furthest_first(self.ends)
        if not ends:  # neither goes on anywhere
            return Copy(copy, copy, 0, blocks)
        if not all(_same_rest(ends[0], other) for other in ends[1:]):
            return None
        block, count = ends[0]
        return Copy(copy, block, count, [b for b in blocks if b is not block])

    def _ends_here(self, ours: Block, theirs: Block) -> bool:
        """Whether the suite ends here, and the copy likewise: what follows it may have been copied in turn."""
        ends = ours.region == self.region and len(ours.statements) == 1 and isinstance(ours.statements[0], Reraise)
        if ends:
            self.ends.add((theirs, 0))
        return ends

    def _is_outside(self, block: Block) -> bool:
        return block.region[: len(self.region)] != self.region

    def _leaves(self, block: Block) -> bool:
        """Whether a block is after a statement by which the suite is left, or leaves its handler for one."""
        return self._is_outside(block) or (block.leaves_handler and len(path_after(block)) < len(self.region))

    def _match_block(self, ours: Block, theirs: Block) -> list[tuple[Block, Block]] | None:
        if self._leaves(ours) or (isinstance(ours.terminator, Jump) and isinstance(theirs.terminator, Branch)):
            return self._match_runs(ours, theirs)
        wanted, ending = ours.statements, self._goes_on(ours, theirs)
        if ours.region == self.region and wanted and isinstance(wanted[-1], Reraise):
            wanted, ending = wanted[:-1], True
        if not ending and len(theirs.statements) != len(wanted):
            return self._match_runs(ours, theirs)
        if len(theirs.statements) < len(wanted):
            return None
        if not all(self._same(a, b) for a, b in zip(wanted, theirs.statements, strict=False)):
            return None
        if ending:
            self.ends.add((theirs, len(wanted)))
            return []
        return self._match_terminators(ours.terminator, theirs.terminator)

    def _match_runs(self, ours: Block, theirs: Block) -> list[tuple[Block, Block]] | None:
        """Match what both go on to until they do as much.

        Leaving the handler ends a block of ours, and so does what is moved to the end, as handlers are: theirs has more
        statements. What ours hands on to be returned may be in its place in theirs, or in the arms of a choice.
        """
        one, other = _Run(ours), _Run(theirs)
        while len(one.statements) != len(other.statements) or type(one.terminator) is not type(other.terminator):
            after = one if len(one.statements) <= len(other.statements) and one.goes_on else other
            if not after.go_on():
                return None
        if not all(self._same(a, b) for a, b in zip(one.statements, other.statements, strict=True)):
            return None
        if isinstance(one.terminator, Leave) or self._leaves(one.last):
            self.leaving.add(theirs)
        return self._match_terminators(one.terminator, other.terminator)

    def _goes_on(self, ours: Block, theirs: Block) -> bool:
        """Whether the suite jumps to its re-raise where the copy leaves by an exit that was copied in turn."""
        jump = ours.terminator
        if not isinstance(jump, Jump) or not ends_frame(theirs) or jump.edge.args:
            return False
        end = onward(jump.edge.target)
        return end.region == self.region and len(end.statements) == 1 and isinstance(end.statements[0], Reraise)

    def _match_terminators(self, a: Terminator, b: Terminator) -> list[tuple[Block, Block]] | None:
        if isinstance(a, Jump) and isinstance(b, Jump):
            return self._match_edges([(a.edge, b.edge)])
        if isinstance(a, Branch) and isinstance(b, Branch):
            return self._match_branches(a, b)
        if isinstance(a, NextItem) and isinstance(b, NextItem) and self._same(a.iterator, b.iterator):
            self.temps[a.item] = b.item
            return self._match_edges([(a.body, b.body), (a.exhausted, b.exhausted)])
        if isinstance(a, EnterTry) and isinstance(b, EnterTry) and a.construct is b.construct:
            if a.manager is not None and b.manager is not None:
                self.temps[a.manager.exit], self.temps[a.manager.entered] = b.manager.exit, b.manager.entered
            return self._match_edges([(a.body, b.body), (a.caught, b.caught)])
        if isinstance(a, Leave) and isinstance(b, Leave):
            return []
        return None

    def _match_branches(self, a: Branch, b: Branch) -> list[tuple[Block, Block]] | None:
        """A copy may ask the opposite: which way jumps depends on where it stands."""
        alike = compared(a.test, b.test)
        if alike is None or not all(self._same(x, y) for x, y in alike.pairs):
            return None
        if alike.are_opposites:
            return self._match_edges([(a.true, b.false), (a.false, b.true)])
        return self._match_edges([(a.true, b.true), (a.false, b.false)])

    def _match_edges(self, pairs: list[tuple[Edge, Edge]]) -> list[tuple[Block, Block]] | None:
        for a, b in pairs:
            if len(a.args) != len(b.args) or not all(map(self._same, a.args, b.args)):
                return None
            for param, other in zip(a.target.params, b.target.params, strict=False):
                self.temps.setdefault(param, other)
        return [(a.target, b.target) for a, b in pairs]

    def _same(self, a: object, b: object) -> bool:
        work: list[tuple[object, object]] = [(a, b)]
        while work:
            x, y = work.pop()
            if isinstance(x, Define) and isinstance(y, Define):
                self.temps[x.temp] = y.temp
            if isinstance(x, list) and isinstance(y, list) and len(x) == len(y):
                work += zip(x, y, strict=True)
            elif isinstance(x, ast.BoolOp) and isinstance(y, ast.BoolOp) and type(x.op) is type(y.op):
                work.append((_operands(x), _operands(y)))
            elif isinstance(x, ast.AST) and type(x) is type(y):
                if not self._same_leaf(x, y):
                    return False
                work += [(getattr(x, f, None), getattr(y, f, None)) for f in x._fields if f != "ctx"]
            elif x is not y and (type(x) is not type(y) or repr(x) != repr(y)):
                return False
        return True

    def _same_leaf(self, x: ast.AST, y: object) -> bool:
        if isinstance(x, Temp):
            return self.temps.setdefault(x, y) is y  # type: ignore[arg-type]  # same type as x
        if isinstance(x, HandledException):
            return isinstance(y, HandledException) and x.part == y.part
        if isinstance(x, MakeFunction | CodeConst) and isinstance(y, MakeFunction | CodeConst):
            return x.code == y.code
        if isinstance(x, ObjectConst) and isinstance(y, ObjectConst):
            return x.value is y.value
        return not isinstance(x, Helper) or (isinstance(y, Helper) and x.name == y.name)


def _operands(value: ast.BoolOp) -> list[ast.expr]:
    """What is asked in order, without parentheses: of these only some copies tell (`lift/shapes/shortened_tests`)."""
    found: list[ast.expr] = []
    work: list[ast.expr] = [value]
    while work:
        part = work.pop()
        if isinstance(part, ast.BoolOp) and type(part.op) is type(value.op):
            work += reversed(part.values)
        else:
            found.append(part)
    return found


def _furthest_first(ends: set[tuple[Block, int]]) -> list[tuple[Block, int]]:
    """The ends in the order of the code, but first one at which nothing of its block is after it."""
    in_order = sorted(ends, key=lambda end: end[0].offset)
    return sorted(in_order, key=lambda end: end[1])


def _same_rest(one: tuple[Block, int], other: tuple[Block, int]) -> bool:
    """Whether both ends go on alike: by the same block, or by copies of the same end of a clause or short exit."""
    (block, count), (also, skipped) = one, other
    if block is also:
        return count == skipped
    onward = _jumped_to(also, skipped)
    if onward is not None and (onward is _jumped_to(block, count) or (onward is block and not count)):
        return True
    unbinding = _unbinding_after(block, count)
    if unbinding is not None and unbinding == _unbinding_after(also, skipped):
        return True
    rest, more = _leaving(block, count), _leaving(also, skipped)
    return len(rest) == len(more) > 0 and all(map(same_expression, rest, more))


def _unbinding_after(block: Block, count: int) -> tuple[str, Block] | None:
    """Where all that is after the first statements ends an `except … as`: the name, and where control goes on to."""
    after, seen = block.statements[count:], {block}
    while not after and isinstance(block.terminator, Jump) and block.terminator.edge.target not in seen:
        block = block.terminator.edge.target
        after = block.statements
        seen.add(block)
    name = unbound_name(after) if len(after) == 2 else None
    if name is None or not isinstance(block.terminator, Jump):
        return None
    return name, onward(block.terminator.edge.target)


def _jumped_to(block: Block, count: int) -> Block | None:
    """Where a jump leads that is all there is after the first statements."""
    jump = block.terminator
    return jump.edge.target if isinstance(jump, Jump) and not block.statements[count:] else None


def _leaving(block: Block, count: int) -> list[ast.stmt]:
    """The statements after the first ones by which the frame is left: in a `try`, a constant is returned outside."""
    jump = block.terminator
    end = jump.edge.target if isinstance(jump, Jump) and not jump.edge.args else block
    after = end.statements if end is not block else []
    return [*block.statements[count:], *after] if ends_frame(end) else []
