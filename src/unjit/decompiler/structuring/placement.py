"""Where the blocks of a graph stand, as far as that is known: what placing them writes, and structuring reads."""

from __future__ import annotations

from dataclasses import dataclass, field

from unjit.decompiler.ir.flow.dominators import Dominators
from unjit.decompiler.ir.flow.graph import Block
from unjit.decompiler.ir.flow.loops import Loop


@dataclass
class Placement:
    """The blocks that stand after each block's own statement, and after each loop, in order."""

    dominators: Dominators
    loops: dict[Block, Loop]
    after_block: dict[Block, list[Block]] = field(default_factory=dict)
    after_loop: dict[Block, list[Block]] = field(default_factory=dict)
    forward_entries: dict[Block, list[Block]] = field(default_factory=dict)
    placed: set[Block] = field(default_factory=set)
