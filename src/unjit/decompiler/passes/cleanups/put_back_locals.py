"""Locals taken where a try is left, read where they are used after all.

*What the compiler did*: `return x` in a `try` takes x before the `finally`, which may store to it; so does the lifter.
*The shape*: what follows the try was not found to be a `finally`, and stores nothing to the local before the value is
read. *What we produce*: the local itself in the place of the read; a return that is left of a `with` or `finally` has
the line on which the local was taken, since that is its own.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from unjit.decompiler.ir.flow.graph import Block, Graph, Jump
from unjit.decompiler.ir.tree.nodes import Define, Temp
from unjit.decompiler.ir.tree.notes import offset_of
from unjit.decompiler.ir.tree.order import temps_in
from unjit.decompiler.ir.tree.uses import all_roots, names_stored, replace_temps


def run(graph: Graph) -> None:
    if not graph.is_protected:
        return
    put_back: dict[Temp, ast.expr] = {}
    for block in graph.reachable():
        last = block.statements[-1] if block.statements else None
        if isinstance(last, Define) and _is_taken_on_leaving(last, block) and not _may_change(last, block):
            put_back[last.temp] = last.value
            block.statements.pop()
            _note_line(block, last)
    replace_temps(graph, put_back)


def _is_taken_on_leaving(last: Define, block: Block) -> bool:
    jump = block.terminator
    if not isinstance(last.value, ast.Name) or last.temp.uses != 1 or not isinstance(jump, Jump):
        return False
    return not jump.edge.args and jump.edge.target.region != block.region


def _note_line(block: Block, taken: Define) -> None:
    """Let a return of what a block takes have the line of that, where nothing is left of what stood between."""
    (after,) = block.successors()
    returned = after.statements[0] if len(after.statements) == 1 else None
    if not isinstance(returned, ast.Return) or returned.value is not taken.temp:
        return
    line = next((instr.line for instr in block.instrs if instr.offset == offset_of(taken.value)), None)
    if line is not None:
        after.instrs = [replace(instr, line=line) for instr in after.instrs]


def _may_change(taken: Define, block: Block) -> bool:
    """Whether a store to the local may come before the value is read."""
    assert isinstance(taken.value, ast.Name)
    work = [(after, False) for after in block.successors()]
    seen = set(work)
    while work:
        after, changed = work.pop()
        for root in all_roots(after):
            if changed and taken.temp in temps_in(root):
                return True
            changed = changed or (isinstance(root, ast.stmt) and taken.value.id in names_stored(root))
        new = {(further, changed) for further in after.successors() if further is not block} - seen
        seen |= new
        work += new
    return False
