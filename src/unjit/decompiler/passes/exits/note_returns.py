"""What stands where a function returns nothing: a `return`, a `pass` or nothing at all, told by how wide its words are.

*What the compiler did*: the end of a function has the place of what stands last in it, of a `pass` too; a `return`
has its own, or, as `return None`, that of `None` (3.11 and later); before a cleanup it leaves a NOP that has.
*What we produce*: a note on the return; and `...` where that is all of a function. *What we refuse*: places that
anything else has as well. `pass` is as wide as `None`, but begins a line, in a column that people indent to.
"""

from __future__ import annotations

import ast

from unjit.bytecode import versions as v
from unjit.decompiler.ir.as_written.jump_words import RETURNS
from unjit.decompiler.ir.flow.graph import Block, Graph
from unjit.decompiler.ir.tree.constants import is_none
from unjit.decompiler.ir.tree.notes import mark_passed, mark_words, mark_written, offset_of
from unjit.decompiler.kinds import kind_of
from unjit.decompiler.passes.exits.parts.words import Words


def run(graph: Graph) -> None:
    returning = [block for block in graph.blocks if ends_in_return_none(block)]
    if not returning or not v.PY311 or not kind_of(graph.code).has_returns:
        return
    words = Words(graph)
    for block in returning:
        statement = block.statements[-1]
        word = words.of(block)
        if word in RETURNS:
            mark_words(statement, says_none=word == "return None")
        elif word is None and (words.before(block) in RETURNS or words.is_an_arm(block)):
            mark_written(statement)
        elif word == "pass":
            mark_passed(statement)
        elif word == "..." and len(graph.blocks) == 1 and graph.entry.statements == [statement]:
            graph.entry.statements.insert(0, ast.Expr(ast.Constant(...)))
            mark_passed(statement)


def ends_in_return_none(block: Block) -> bool:
    """Whether a block ends in a `return None` that came of an instruction."""
    last = block.statements[-1] if block.statements else None
    return isinstance(last, ast.Return) and is_none(last.value) and offset_of(last) is not None
