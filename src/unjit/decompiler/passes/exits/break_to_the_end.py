"""A `break` before the end of a function, told from a `return` by how wide its word is.

*What the compiler did*: it copied the end of the function to where the `break` jumped to, which has its place then
(3.11 and later). *What we produce*: one end, as a module has, that all lead to which return nothing and are no `return`
that somebody wrote. *What we refuse*: functions without such a `break`.
"""

from __future__ import annotations

from unjit.bytecode import versions as v
from unjit.decompiler.ir.flow.dominators import Dominators
from unjit.decompiler.ir.flow.graph import Block, Edge, Graph, Jump
from unjit.decompiler.ir.flow.loops import find_loops
from unjit.decompiler.ir.tree.notes import is_written
from unjit.decompiler.kinds import kind_of
from unjit.decompiler.passes.exits.note_returns import ends_in_return_none
from unjit.decompiler.passes.exits.parts.words import Words


def run(graph: Graph) -> None:
    """After what makes copies of exits one."""
    if not v.PY311 or not kind_of(graph.code).has_returns:
        return
    ending = [
        block for block in graph.reachable() if ends_in_return_none(block) and not is_written(block.statements[-1])
    ]
    if not ending:
        return
    words = Words(graph)
    breaking = [block for block in ending if "break" in (words.of(block), words.before(block))]
    if not breaking or not _are_in_loops(breaking, graph):
        return
    after_all = max(instr.offset for block in graph.blocks for instr in block.instrs) + 1
    end = graph.new_block(after_all, ())
    for block in ending:
        block.statements.pop()
        block.terminator = Jump(Edge(end))
    graph.forget_order()


def _are_in_loops(breaking: list[Block], graph: Graph) -> bool:
    """Whether any comes of a loop: one that nothing comes back to may be none by now."""
    dominators = Dominators(graph)
    return any(dominators.dominates(header, block) for header in find_loops(dominators) for block in breaking)
