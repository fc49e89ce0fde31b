"""Which instruction is left of a `break` or `continue`: one that only goes on, in a place as wide as the word.

From Python 3.11 on the compiler notes columns. What was not written has the place of what stands before it.
"""

from __future__ import annotations

import ast
import functools
import operator
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, takewhile

from unjit.bytecode import Instr, decode
from unjit.bytecode import versions as v
from unjit.bytecode.instructions.positions import Position
from unjit.decompiler.ir.as_written.jump_statements import GOES_ON, LEFT_BY_JUMPS, working
from unjit.decompiler.ir.flow.graph import Block, Edge, Graph
from unjit.decompiler.ir.tree.notes import mark
from unjit.decompiler.ir.tree.suite_ends import JUMPS
from unjit.decompiler.ir.tree.suites import Suite

_WIDTHS: dict[type[ast.stmt], int] = {ast.Break: len("break"), ast.Continue: len("continue")}
_OFFSET = operator.attrgetter("offset")


class JumpPlaces:
    """Those of one graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def note(self, suite: Suite, edge: Edge, block: Block | None = None) -> Suite:
        """The suite, of whose jump at the end it is noted what it was made from.

        That is looked for at the end of the `block` that ends by it, where `edge` led in the bytecode, and where passes
        led it past.
        """
        last = suite[-1] if suite else None
        if isinstance(last, JUMPS) and v.PY311:
            passed = (edge.laid_to, edge.came_to) if edge.via is None else (edge.laid_to, edge.via.offset, edge.came_to)
            offset = self._word(chain(_last(block), *map(self._onward, passed)), _WIDTHS[type(last)])
            if offset is not None:
                mark(last, offset)
        return suite

    def ends_in_continue(self, block: Block) -> bool:
        """Whether the last of what a block does is a `continue`, of which its place is left before a cleanup."""
        return v.PY311 and self._word(_last(block), _WIDTHS[ast.Continue]) is not None

    def _word(self, instrs: Iterable[Instr], width: int) -> int | None:
        for instr in instrs:
            place = self.graph.positions.at(instr.offset) if instr.op in GOES_ON else None
            if place is not None and place.width == width and place not in self._done:
                return instr.offset
        return None

    def _onward(self, offset: int) -> Iterator[Instr]:
        return onward_from(decode(self.graph.code), offset)

    @functools.cached_property
    def _done(self) -> set[Position | None]:
        return places_of_work(self.graph)


def places_of_work(graph: Graph) -> set[Position | None]:
    """Where what does anything came from: more than a jump statement leaves."""
    return {graph.positions.at(instr.offset) for instr in working(decode(graph.code))}


def onward_from(instrs: Sequence[Instr], offset: int, going_on: Collection[str] = GOES_ON) -> Iterator[Instr]:
    """What stands at an offset and where that leads, of what only goes on: a jump to the next one is a NOP."""
    k, seen = bisect_left(instrs, offset, key=_OFFSET), set[int]()
    while k < len(instrs) and k not in seen and instrs[k].op in going_on:
        seen.add(k)
        yield instrs[k]
        target = instrs[k].target
        k = k + 1 if target is None else target


def _last(block: Block | None) -> Iterator[Instr]:
    """What a block ends in, of what only goes on, the last first."""
    return takewhile(lambda instr: instr.op in LEFT_BY_JUMPS, reversed(block.instrs) if block else ())
