"""The word that a `return None` was written as, told by how wide the place is that it came from."""

from __future__ import annotations

import ast
from collections import defaultdict

from unjit.bytecode.instructions.positions import Position
from unjit.decompiler.ir.as_written.jump_statements import leading_nop, working
from unjit.decompiler.ir.as_written.jump_words import word_at
from unjit.decompiler.ir.flow.graph import Block, Graph
from unjit.decompiler.ir.tree.notes import offset_of


class Words:
    """Those of one code object, as long as no pass moves instructions."""

    def __init__(self, graph: Graph) -> None:
        self._positions = graph.positions
        self._working: defaultdict[int | None, list[int]] = defaultdict(list)
        for block in graph.blocks:
            for instr in working(block.instrs):
                self._working[instr.line].append(instr.offset)

    def of(self, block: Block) -> str | None:
        """The word that the last return of a block came from, if that is the whole statement and does nothing else.

        Of a block that does something else on that line nobody reads columns: its end has most likely their place.
        """
        line = block.last_line
        if any(instr.line == line for instr in working(block.instrs)):
            return None
        return self._at(offset_of(block.statements[-1]) or 0)

    def before(self, block: Block) -> str | None:
        """The word that a block begins with the NOP of, before what has other lines: a cleanup, most often."""
        nop = leading_nop(block)
        return None if nop is None or nop.line == block.last_line else self._at(nop.offset)

    def is_an_arm(self, block: Block) -> bool:
        """Whether the `None` has another place than the return: that is of a statement in which it is an arm."""
        returned = block.statements[-1]
        assert isinstance(returned, ast.Return)
        marks = (None if node is None else offset_of(node) for node in (returned.value, returned))
        value, whole = (None if mark is None else self._positions.at(mark) for mark in marks)
        return value is not None and whole is not None and value != whole

    def _at(self, offset: int) -> str | None:
        position = self._positions.at(offset)
        word = None if position is None else word_at(position, self._positions)
        return None if position is None or self._does_something(position) else word

    def _does_something(self, position: Position) -> bool:
        """Whether any instruction that came from there is more than a jump statement leaves."""
        return any(self._positions.at(offset) == position for offset in self._working[position.line])
