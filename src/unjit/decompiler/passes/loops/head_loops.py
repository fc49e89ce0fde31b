"""A head of its own for each of the loops that begin at one instruction.

*What the compiler did*: nothing is left of the test of `while True` but a NOP, so that a loop in its first line begins
where it does. From 3.14 on each loop comes back to its own NOP or test; before, the jump at its end has the line of its
`while`, and a test is asked once more at the end of its loop. *The shape*: a block that control comes back to for
several loops. *What we produce*: an empty block before it for each but the innermost. *What we refuse*: loops to
whose head values are taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from unjit.bytecode import Instr, decode
from unjit.bytecode import versions as v
from unjit.decompiler.ir.flow.dominators import Dominators
from unjit.decompiler.ir.flow.graph import Block, Branch, Edge, Graph, Jump
from unjit.decompiler.passes.loops.unrotate_loops import asks_the_same

_Back = list[tuple[Block, Edge]]  # the edges that come back to a head, with the blocks that they leave


def run(graph: Graph) -> None:
    if "NOP" not in graph.operations or graph.is_comprehension:
        return
    dominators, entering = Dominators(graph), graph.entering_edges()
    back: dict[Block, _Back] = {}
    for block, edge in graph.edges():
        if dominators.dominates(edge.target, block) and not edge.target.params:
            back.setdefault(edge.target, []).append((block, edge))
    instrs = decode(graph.code)
    index = {instr.offset: k for k, instr in enumerate(instrs)} if back else {}
    for head, edges in back.items():
        loops = _Loops(head, dominators, instrs, index)
        by_begin = loops.by_begin(edges) if loops.nops else {}
        if len(by_begin) > 1:
            _part(graph, head, entering[head], by_begin)


class _Loops:
    """The loops that may begin with one block, each at a NOP before it, or the innermost at the block itself."""

    def __init__(self, head: Block, dominators: Dominators, instrs: Sequence[Instr], index: Mapping[int, int]) -> None:
        self.head, self.dominators, self.instrs = head, dominators, instrs
        self.index = index  # of each instruction, by its offset
        self.nops = self._nops_before(index.get(head.offset, 0))
        self.body = _body_of_test(dominators, head) if self.nops and not v.PY314 else None

    def _nops_before(self, begin: int) -> dict[int, int]:
        """The lines of the NOPs directly before an instruction, by their offsets."""
        first = begin
        while first and self.instrs[first - 1].op == "NOP" and self.instrs[first - 1].line is not None:
            first -= 1
        return {nop.offset: nop.line for nop in self.instrs[first:begin] if nop.line is not None}

    def by_begin(self, back: _Back) -> dict[int, list[Edge]]:
        """The edges that come back, by the offset at which the loop begins that they do so for, in that order."""
        found: dict[int, list[Edge]] = {} if self.body is None else {self.head.offset: []}
        untold: list[Edge] = []
        for block, edge in back:
            begin = self._begin(block, edge)
            (untold if begin is None else found.setdefault(begin, [])).append(edge)
        innermost = max((begin for begin in found if begin in self.nops), default=self.head.offset)
        found.setdefault(innermost, []).extend(untold)
        return dict(sorted(found.items()))

    def _begin(self, block: Block, edge: Edge) -> int | None:
        """Where the loop begins whose next turn an edge leads to; None where nothing tells."""
        passed = [*block.instrs[-1:], *self._passed(edge.laid_to)]
        lines = [jump.line for jump in passed if jump.op in v.UNCONDITIONAL_JUMPS and not v.PY314]
        offsets = [offset for line in lines for offset, own in self.nops.items() if own == line]
        if offsets:
            return offsets[0]
        if passed and passed[-1].offset in self.nops:
            return passed[-1].offset
        is_inner = v.PY314 or (self.body is not None and self.dominators.dominates(self.body, block))
        return self.head.offset if is_inner else None

    def _passed(self, offset: int) -> Iterator[Instr]:
        """The instructions that control passes which goes to an offset, up to the first that a loop may begin at.

        Nothing of them is a statement: an edge leads to the head. They end a clause, a `with` or another loop.
        """
        k, seen = self.index.get(offset), set[int]()
        while k is not None and k not in seen:
            seen.add(k)
            instr = self.instrs[k]
            yield instr
            goes = instr.op in v.UNCONDITIONAL_JUMPS
            divides = not goes and instr.target is not None
            if instr.offset in self.nops or instr.offset == self.head.offset or divides or instr.op in v.TERMINATORS:
                break
            k = instr.target if goes else k + 1


def _body_of_test(dominators: Dominators, head: Block) -> Block | None:
    """Where a test leads that is asked again from there, as that of a loop is before 3.14."""
    test = head.terminator
    if not isinstance(test, Branch) or head.statements:
        return None
    arms = {test.true.target, test.false.target}
    for arm in sorted(arms - {head}, key=lambda block: block.offset):
        for block in dominators.predecessors[arm]:
            again = block.terminator
            if not isinstance(again, Branch) or {again.true.target, again.false.target} != arms:
                continue
            if block is not head and dominators.dominates(arm, block) and asks_the_same(test, again):
                return arm
    return None


def _part(graph: Graph, head: Block, entering: list[Edge], by_begin: dict[int, list[Edge]]) -> None:
    """Put a block before the head for each loop but the innermost, and lead the loop's edges to it."""
    after = head
    for begin, edges in [*reversed(by_begin.items())][1:]:
        around = graph.new_block(begin, head.region)
        around.handler, around.terminator = head.handler, Jump(Edge(after))
        for edge in edges:
            edge.target = around
        after = around
    back = {id(edge) for edges in by_begin.values() for edge in edges}
    for edge in entering:
        if id(edge) not in back:
            edge.target = after
    graph.entry = after if graph.entry is head else graph.entry
    graph.forget_order()
