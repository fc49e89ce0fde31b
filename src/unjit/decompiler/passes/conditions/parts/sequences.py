"""Jump threading, and merging a block with the only one that follows it.

The compiler begins a block wherever something jumps to, and shortens jumps to jumps; neither was written.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from unjit.bytecode import versions as v
from unjit.decompiler.folding.fold import append_folded, fold_terminator
from unjit.decompiler.ir.as_written.jump_statements import DROPS_ITERATOR, ends_statements, iterator_dropped
from unjit.decompiler.ir.flow.exits import is_empty_end
from unjit.decompiler.ir.flow.graph import Block, Branch, Edge, EnterTry, Graph, Jump, NextItem
from unjit.decompiler.ir.flow.jumps import ONLY_GOES, ends_a_test, falls_through_a_test, lines_of_jumps
from unjit.decompiler.ir.tree.nodes import Define, Temp
from unjit.decompiler.ir.tree.notes import is_plain
from unjit.decompiler.kinds import kind_of


class Sequences:
    """The blocks of a graph, and in `entries` how many edges enter each: kept up to date while edges are moved."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.entries = {block: len(leading) for block, leading in graph.predecessors().items()}
        self.entries[graph.entry] += 1
        self.entered_once = {block for block, count in self.entries.items() if count == 1}

    @functools.cached_property
    def jumps(self) -> dict[Block, set[int | None]]:
        """The lines of the jumps to each block."""
        return lines_of_jumps(self.graph)

    def thread(self, block: Block, edge: Edge) -> bool:
        """Lead an edge past the block that it enters, if that does nothing but go on. Gives whether it did."""
        middle, jump = edge.target, edge.target.terminator
        if not isinstance(jump, Jump) or not self._may_be_skipped(block, edge, middle, jump):
            return False
        if edge.line is None and (isinstance(block.terminator, Branch) or ends_a_test(block)):
            edge.line = self._line_after(block, middle, jump)
            if edge.line is None and self._is_continue_on_the_line(block, middle, jump):
                edge.line, edge.leaves = middle.first_line, True
        if edge.line is None and not self.graph.is_comprehension:
            edge.line = self._line_of_continue(block, edge, middle, jump)
        if jump.edge.leaves:
            edge.line, edge.leaves = jump.edge.line, True
        self.drop_edge(middle)
        _lead_past(edge, middle, jump)
        edge.via = middle if jump.edge.via is None or _is_break(middle, jump.edge.via) else jump.edge.via
        self.entries[edge.target] += 1
        if not self.entries[middle]:
            self.drop_edge(jump.edge.target)
        if edge.args and block.statements:
            fold_terminator(block)  # the block alone computed what the other handed on
        return True

    def _may_be_skipped(self, block: Block, edge: Edge, middle: Block, jump: Jump) -> bool:
        if middle.statements or jump.edge.target is middle or middle is block:
            return False
        if middle.leaves_handler or middle in self.graph.handled or falls_through_a_test(block):
            return False
        if any(param.uses != sum(arg is param for arg in jump.edge.args) for param in middle.params):
            return False  # read in what it leads to
        if jump.edge.args and self.entries[middle] > 1 and not middle.params:
            return False  # what several tests lead to is the other arm of all of them
        if any(param.uses > 1 and not _is_repeatable(arg) for param, arg in _handed(edge, middle)):
            return False  # it would be computed more than once
        return all(isinstance(arg, (ast.Constant, ast.Name, Temp)) for arg in jump.edge.args)

    def _line_after(self, block: Block, middle: Block, jump: Jump) -> int | None:
        """The line of the jump statement or `pass` that `middle` is, if it is one, for the edge that is led past it."""
        if jump.edge.line is not None or any(instr.op not in ONLY_GOES for instr in middle.instrs):
            return jump.edge.line
        if (
            middle.instrs
            and middle.instrs[-1].op == "NOP"
            and middle.first_line in self.jumps.get(jump.edge.target, ())
        ):
            return None  # all that `while True:` left: jumps back to the loop have its line
        return self._line_of_its_own(middle, block.last_line)

    def _line_of_its_own(self, jump: Block, test: int | None) -> int | None:
        """The line of a jump statement after a test on the line `test`; None where it is a part of the test."""
        line = jump.first_line
        if self.graph.is_comprehension:
            return None
        if line is None or test is None or jump in self.entered_once:
            return None if line == test else line
        return line if line > test and jump.instrs[-1].op in v.UNCONDITIONAL_JUMPS else None

    def _line_of_continue(self, block: Block, edge: Edge, middle: Block, jump: Jump) -> int | None:
        """The line of the `continue` that `middle` is, after an exhausted loop, or apart from what is before it.

        The compiler leaves what cannot raise out of what a `try` protects.
        """
        if isinstance(block.terminator, NextItem):
            return jump.edge.line if edge is block.terminator.exhausted else None
        back = middle.instrs[0] if len(middle.instrs) == 1 and middle.is_jump_statement and block.statements else None
        if back is None or back.op not in v.UNCONDITIONAL_JUMPS or middle not in self.entered_once:
            return None
        is_back = isinstance(block.terminator, Jump) and jump.edge.laid_to < back.offset
        return back.line if is_back and (back.line or 0) > (block.last_line or 0) else None

    def _is_continue_on_the_line(self, test: Block, middle: Block, jump: Jump) -> bool:
        """Whether a jump back is the `continue` of `if test: continue`: columns tell, and up to 3.11 that it is there.

        From 3.12 on the compiler puts such a jump after each test that leads back, and gives it the place of the test.
        """
        back, asked = (block.instrs[-1] if block.instrs else None for block in (middle, test))
        if back is None or asked is None or back.line is None or back.line != asked.line:
            return False
        if any(instr.op not in ONLY_GOES for instr in middle.instrs) or self.graph.is_comprehension:
            return False
        if back.op not in v.UNCONDITIONAL_JUMPS or jump.edge.laid_to > back.offset:
            return False
        place = self.graph.positions.at(back.offset)
        if place is None:
            return not v.PY312 and back.offset == asked.offset + v.CODE_UNIT
        return place.width == len("continue") and place != self.graph.positions.at(asked.offset)

    def drop_edge(self, target: Block) -> None:
        self.entries[target] -= 1

    def merge_following(self, block: Block, jump: Jump) -> bool:
        """Append the block that a jump leads to, if nothing else does. Gives whether it did."""
        following = jump.edge.target
        if following is block or self.entries[following] != 1 or isinstance(following.terminator, EnterTry):
            return False
        if following.region != block.region or following in self.graph.handled:
            return False
        if is_empty_end(following) and (following.region or not kind_of(self.graph.code).has_returns):
            return False  # a loop of a module, or of a finally suite, is left for it by a `break`
        if block.is_jump_statement and self.entries[block] > 1:
            return False  # a `break` that several ways lead to, which they skip
        if not block.statements and (_drops_iterator(block) or _drops_iterator(jump.edge.via)):
            return False  # one that several will lead to when copies are cut out
        if not following.params and ends_statements(block, following):
            return False
        for param, arg in zip(following.params, jump.edge.args, strict=True):
            append_folded(block, [Define(param, arg)])
        append_folded(block, following.statements)
        block.instrs += following.instrs
        if following not in self.entered_once:  # so that its line is no jump statement's
            self.entered_once.discard(block)
        self.entries[following] = 0
        block.terminator, block.leaves_handler = following.terminator, following.leaves_handler
        fold_terminator(block)
        return True


def _drops_iterator(block: Block | None) -> bool:
    """Whether a block is a `break` or `continue` that leaves a for loop."""
    return block is not None and block.is_jump_statement and iterator_dropped(block.instrs) > 0


def _is_break(block: Block, after: Block) -> bool:
    """Whether a block leaves a for loop by a `break`: the one `after` it is no jump statement itself.

    That begins a statement, such as `try:`, or has no line of its own, as what goes back for the next item of the loop
    around.
    """
    leaves, unmarked = any(instr.op in DROPS_ITERATOR for instr in block.instrs), (None, block.last_line)
    return leaves and all(i.line in unmarked or i.op in ("NOP", "SETUP_FINALLY") for i in after.instrs)


def _handed(edge: Edge, middle: Block) -> Iterator[tuple[Temp, ast.expr]]:
    return zip(middle.params, edge.args, strict=True)


def _is_repeatable(value: ast.expr) -> bool:
    return isinstance(value, Temp) or is_plain(value)


def _lead_past(edge: Edge, middle: Block, jump: Jump) -> None:
    """Let an edge go where `jump`, of the block that it enters, goes, with the values that this hands on."""
    for param, arg in _handed(edge, middle):
        if isinstance(arg, Temp):
            arg.uses += param.uses - 1
    given: dict[ast.expr, ast.expr] = dict(_handed(edge, middle))
    edge.target, edge.args = jump.edge.target, [given.get(arg, arg) for arg in jump.edge.args]
