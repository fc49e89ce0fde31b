"""What stands where a function returns nothing: a `return`, a `pass` or nothing at all, told by how wide its words are.

*What the compiler did*: the end of a function has the place of what stands last in it, of a `pass` too; a `return` has
its own, or, as `return None`, that of `None` (3.11 and later). *What we produce*: a note on the return; and `...` where
that is all of a function. *What we refuse*: places that anything else has as well. `pass` is as wide as `None`, but
begins a line, in a column that people indent to.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from unjit.bytecode.positions import Position
from unjit.decompiler.ir.constants import is_none
from unjit.decompiler.ir.graph import Graph
from unjit.decompiler.ir.notes import mark_passed, mark_written, offset_of
from unjit.decompiler.kinds import kind_of

_DOES_NOTHING = frozenset({"NOP", "POP_TOP", "POP_ITER", "POP_EXCEPT", "POP_BLOCK", "LOAD_CONST"})
_RETURNS = frozenset({"RETURN_VALUE", "RETURN_CONST"})


def run(graph: Graph) -> None:
    returns = {
        statement: offset
        for block in graph.blocks
        for statement in block.statements[-1:]
        if isinstance(statement, ast.Return)
        and is_none(statement.value)
        and (offset := offset_of(statement)) is not None
    }
    if not returns or not kind_of(graph.code).has_returns:
        return
    positions = graph.positions()
    instrs = [instr for block in graph.blocks for instr in block.instrs]
    done = {positions.get(instr.offset) for instr in instrs if instr.op not in _DOES_NOTHING | _RETURNS}
    for statement, offset in returns.items():
        position = positions.get(offset)
        word = None if position is None or position in done else _word(position, positions.values())
        if word == "return":
            mark_written(statement)
        elif word == "pass":
            mark_passed(statement)
        elif word == "..." and len(graph.blocks) == 1 and graph.entry.statements == [statement]:
            graph.entry.statements.insert(0, ast.Expr(ast.Constant(...)))
            mark_passed(statement)


def _word(position: Position, others: Iterable[Position]) -> str | None:
    if position.line != position.end_line:
        return None
    width = position.end_column - position.column
    if width != len("None"):
        return {len("return"): "return", len("..."): "..."}.get(width)
    if any(other.line == position.line and other.column < position.column for other in others):
        return None
    return "return" if position.column % 2 == len("return ") % 2 else "pass"
