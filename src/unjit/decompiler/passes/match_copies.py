"""Whether one part of the graph is a copy of another.

The compiler writes a finally suite once for each way out of the try. Two copies are the same when a walk along both
finds the same statements and branches at each step; values on the stack are matched one to one.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from unjit.decompiler.ir.compare import same_expression
from unjit.decompiler.ir.graph import Block, Branch, Edge, EnterTry, Jump, Leave, NextItem, Region
from unjit.decompiler.ir.nodes import (
    CodeConst,
    Define,
    HandledException,
    Helper,
    MakeFunction,
    ObjectConst,
    Reraise,
    Temp,
)
from unjit.decompiler.passes.exits import onward


@dataclass
class Copy:
    """Where a copy starts and ends: after `count` statements of `block`; `blocks` are those wholly within it."""

    start: Block
    block: Block
    count: int
    blocks: list[Block] = field(default_factory=list)


class Matcher:
    """Walks the suite of a handler, which ends in re-raises, and a copy of it, which goes on somewhere instead."""

    def __init__(self) -> None:
        self.temps: dict[Temp, Temp] = {}
        self.pairs: dict[Block, Block] = {}
        self.region: tuple[Region, ...] = ()  # of the suite: a handler within it ends in a re-raise of its own
        self.ends: set[tuple[Block, int]] = set()

    def match(self, suite: Block, copy: Block) -> Copy | None:
        """The end of the copy that starts at `copy`, or None."""
        self.region = suite.region
        work = [(suite, copy)]
        while work:
            ours, theirs = map(onward, work.pop())
            if ours in self.pairs:
                if self.pairs[ours] is not theirs:
                    return None
                continue
            self.pairs[ours] = theirs
            following = self._match_block(ours, theirs)
            if following is None:
                return None
            work += following
        ends = _furthest_first(self.ends)
        if not ends:  # neither goes on anywhere
            return Copy(copy, copy, 0, list(self.pairs.values()))
        if not all(_same_rest(ends[0], other) for other in ends[1:]):
            return None
        block, count = ends[0]
        return Copy(copy, block, count, [b for b in self.pairs.values() if b is not block])

    def _match_block(self, ours: Block, theirs: Block) -> list[tuple[Block, Block]] | None:
        wanted, ending = ours.statements, self._goes_on(ours, theirs)
        if ours.region == self.region and wanted and isinstance(wanted[-1], Reraise):
            wanted, ending = wanted[:-1], True
        if len(theirs.statements) < len(wanted) or (not ending and len(theirs.statements) != len(wanted)):
            return None
        if not all(self._same(a, b) for a, b in zip(wanted, theirs.statements, strict=False)):
            return None
        if ending:
            self.ends.add((theirs, len(wanted)))
            return []
        return self._match_terminators(ours, theirs)

    def _goes_on(self, ours: Block, theirs: Block) -> bool:
        """Whether the suite jumps to its re-raise where the copy leaves by an exit that was copied in turn."""
        jump = ours.terminator
        if not isinstance(jump, Jump) or not isinstance(theirs.terminator, Leave) or jump.edge.args:
            return False
        end = onward(jump.edge.target)
        return end.region == self.region and len(end.statements) == 1 and isinstance(end.statements[0], Reraise)

    def _match_terminators(self, ours: Block, theirs: Block) -> list[tuple[Block, Block]] | None:
        a, b = ours.terminator, theirs.terminator
        if isinstance(a, Jump) and isinstance(b, Jump):
            return self._match_edges([(a.edge, b.edge)])
        if isinstance(a, Branch) and isinstance(b, Branch) and self._same(a.test, b.test):
            return self._match_edges([(a.true, b.true), (a.false, b.false)])
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


def _furthest_first(ends: set[tuple[Block, int]]) -> list[tuple[Block, int]]:
    """The ends in the order of the code, but first one at which nothing of its block is behind it."""
    in_order = sorted(ends, key=lambda end: end[0].offset)
    return sorted(in_order, key=lambda end: end[1])


def _same_rest(one: tuple[Block, int], other: tuple[Block, int]) -> bool:
    """Whether both ends go on alike: by the same block, or by copies of the same short exit."""
    (block, count), (also, skipped) = one, other
    if block is also:
        return count == skipped
    rest, more = block.statements[count:], also.statements[skipped:]
    if isinstance(also.terminator, Jump) and not more:
        onward = also.terminator.edge.target
        if isinstance(block.terminator, Jump) and not rest and onward is block.terminator.edge.target:
            return True
        if onward is block and not count:
            return True
    return (
        isinstance(block.terminator, Leave)
        and isinstance(also.terminator, Leave)
        and len(rest) == len(more) > 0
        and all(map(same_expression, rest, more))
    )
