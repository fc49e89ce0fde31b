"""Which of the statements that only go on stands in a line: `continue` and `pass` are told apart by how wide they are.

From Python 3.11 on the compiler notes from which column to which. Where both go the same way, nothing else tells.
"""

from __future__ import annotations

import ast
from collections import defaultdict

from unjit.bytecode import decode
from unjit.bytecode import versions as v
from unjit.bytecode.instructions.positions import Position, Positions
from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.flow.jumps import ONLY_GOES
from unjit.decompiler.ir.tree.notes import mark

_WORDS: dict[int | None, type[ast.stmt]] = {len("continue"): ast.Continue, len("pass"): ast.Pass}

RETURNS = ("return", "return None")
_ENDING: dict[int | None, str] = {
    len(word): word for word in ("return", "break", "pass", "...")
}  # `None` is as wide as `pass`


def going_on(line: int, positions: Positions) -> ast.stmt | None:
    """The statement that is all there is on a line; None where that is something else, or nothing tells."""
    places = {*positions.on_line(line)}
    word = _WORDS.get(next(iter(places)).width) if len(places) == 1 else None
    if word is None:
        return None
    statement, offset = word(), positions.first_on_line(line)
    assert offset is not None
    mark(statement, offset)
    return statement


def word_at(position: Position, positions: Positions) -> str | None:
    """The word that stands there, of those that may be all of a statement at the end of a function."""
    word = _ENDING.get(position.width)
    if word != "pass":
        return word
    if any(other.column < position.column for other in positions.on_line(position.line)):
        return None
    return "return None" if position.column % 2 == len("return ") % 2 else "pass"


def written_alone(graph: Graph) -> set[int]:
    """The lines on which all there is is one such statement, which nothing falls through to.

    Where no columns tell, one jump is.
    """
    instrs = decode(graph.code)
    found: defaultdict[int, list[int]] = defaultdict(list)
    for k, instr in enumerate(instrs):
        if instr.line is not None:
            found[instr.line].append(k)
    alone = {line for line, here in found.items() if all(instrs[k].op in ONLY_GOES for k in here)}
    lines = {line for line in alone if _is_one(found[line]) and instrs[found[line][0] - 1].op in v.NO_FALLTHROUGH}
    positions = graph.positions
    told = {line for line in lines if going_on(line, positions) is not None}
    untold = {line for line in lines - told if instrs[found[line][-1]].op != "NOP"}
    return told | {line for line in untold if not any(positions.on_line(line))}


def _is_one(found: list[int]) -> bool:
    """Whether instructions stand after one another, not in copies; two are the NOP of a `pass`, and a jump."""
    return found[-1] - found[0] == len(found) - 1 < 2
