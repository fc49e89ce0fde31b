"""Where in its source what a node was made from stood, as far as columns tell (Python 3.11 and newer)."""

from __future__ import annotations

import ast

from unjit.bytecode.instructions.positions import Position, Positions
from unjit.decompiler.ir.tree.notes import offset_of


def place_of(node: ast.AST, positions: Positions) -> Position | None:
    """The place of the instruction that a node was made from; None where it was made from none, or that has none.

    An instruction that does two things has two nodes: the second has the odd offset after it, and no place of its own.
    """
    offset = offset_of(node)
    return None if offset is None or offset % 2 else positions.at(offset)
