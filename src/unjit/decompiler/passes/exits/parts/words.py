"""The word that a `return None` was written as, told by how wide the place is that it came from."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from unjit.bytecode import Instr
from unjit.bytecode.positions import Position
from unjit.decompiler.ir.graph import Block, Graph
from unjit.decompiler.ir.notes import offset_of
from unjit.decompiler.ir.unbinding import DELETES

_LEFT = frozenset({"RESUME", "NOP", "POP_TOP", "POP_ITER", "POP_EXCEPT", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"})
_WORDS: dict[int | None, str] = {
    len(word): word for word in ("return", "break", "pass", "...")
}  # `None` is as wide as `pass`


class Words:
    """Those of one code object, as long as no pass moves instructions."""

    def __init__(self, graph: Graph) -> None:
        self._positions = graph.positions
        self._working: defaultdict[int | None, list[int]] = defaultdict(list)
        self._unbinding: set[int] = set()  # offsets
        for block in graph.blocks:
            self._unbinding |= _unbinding(block.instrs)
            for instr in block.instrs:
                if not self._is_left(instr):
                    self._working[instr.line].append(instr.offset)

    def of(self, block: Block) -> str | None:
        """The word that the last return of a block came from, if that is the whole statement and does nothing else.

        Of a block that does something else on that line nobody reads columns: its end has most likely their place.
        """
        line = block.last_line
        if any(instr.line == line and not self._is_left(instr) for instr in block.instrs):
            return None
        position = self._positions.at(offset_of(block.statements[-1]) or 0)
        word = None if position is None else _WORDS.get(position.width)
        if position is None or word is None or self._does_something(position):
            return None
        if word != "pass":
            return word
        if any(other.column < position.column for other in self._positions.on_line(position.line)):
            return None
        return "return None" if position.column % 2 == len("return ") % 2 else "pass"

    def _is_left(self, instr: Instr) -> bool:
        return instr.op in _LEFT or instr.offset in self._unbinding

    def _does_something(self, position: Position) -> bool:
        """Whether any instruction that came from there is more than a jump statement leaves."""
        return any(self._positions.at(offset) == position for offset in self._working[position.line])


def _unbinding(instrs: list[Instr]) -> set[int]:
    """Where the name of a handled exception is stored and deleted, which has the place of what the clause ends in."""
    pairs = [(one, other) for one, other in pairwise(instrs) if other.op in DELETES and one.op.startswith("STORE")]
    return {instr.offset for pair in pairs if pair[0].value == pair[1].value for instr in pair}
