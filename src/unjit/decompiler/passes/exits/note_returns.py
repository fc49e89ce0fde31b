"""What stands where a function returns nothing: a `return`, a `pass` or nothing at all, told by how wide its words are.

*What the compiler did*: the end of a function has the place of what stands last in it, of a `pass` too; a `return` has
its own, or, as `return None`, that of `None` (3.11 and later). *What we produce*: a note on the return; and `...` where
that is all of a function. *What we refuse*: places that anything else has as well. `pass` is as wide as `None`, but
begins a line, in a column that people indent to.
"""

from __future__ import annotations

import ast

from unjit.bytecode import versions as v
from unjit.bytecode.positions import Position
from unjit.decompiler.ir.constants import is_none
from unjit.decompiler.ir.graph import Block, Graph
from unjit.decompiler.ir.notes import mark_passed, mark_written, offset_of
from unjit.decompiler.kinds import kind_of

_LEFT = frozenset({"RESUME", "NOP", "POP_TOP", "POP_ITER", "POP_EXCEPT", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"})
_WORDS = {len(word): word for word in ("return", "break", "pass", "...")}  # `None` is as wide as `pass`


def run(graph: Graph) -> None:
    returning = [block for block in graph.blocks if returns_nothing(block)]
    if not returning or not v.PY311 or not kind_of(graph.code).has_returns:
        return
    for block in returning:
        statement = block.statements[-1]
        word = word_of(block, graph)
        if word == "return":
            mark_written(statement)
        elif word == "pass":
            mark_passed(statement)
        elif word == "..." and len(graph.blocks) == 1 and graph.entry.statements == [statement]:
            graph.entry.statements.insert(0, ast.Expr(ast.Constant(...)))
            mark_passed(statement)


def returns_nothing(block: Block) -> bool:
    """Whether a block ends in a `return None` that came of an instruction."""
    last = block.statements[-1] if block.statements else None
    return isinstance(last, ast.Return) and is_none(last.value) and offset_of(last) is not None


def word_of(block: Block, graph: Graph) -> str | None:
    """The word that stands where the return of a block came from, if that is the whole statement and does nothing else.

    Of a block that does something else on that line, nobody reads columns: its end has most likely the place of that.
    """
    line = block.last_line
    if any(instr.line == line and instr.op not in _LEFT for instr in block.instrs):
        return None
    position = graph.positions().at(offset_of(block.statements[-1]) or 0)
    if position is None or position.line != position.end_line:
        return None
    word = _WORDS.get(position.end_column - position.column)
    if word is None or _does_something(position, graph):
        return None
    if word != "pass":
        return word
    if any(other.column < position.column for other in graph.positions().on_line(position.line)):
        return None
    return "return" if position.column % 2 == len("return ") % 2 else "pass"


def _does_something(position: Position, graph: Graph) -> bool:
    """Whether any instruction that came from there is more than a jump statement leaves."""
    place = graph.positions().at
    return any(
        instr.line == position.line and instr.op not in _LEFT and place(instr.offset) == position
        for block in graph.blocks
        for instr in block.instrs
    )
