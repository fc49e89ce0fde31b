"""Where a `finally` suite ends, once it is known to be one.

One that comes to its end raised the exception again there, and its copies went on elsewhere: now it just ends. One that
leaves by a statement of its own never comes to its end, so that its copies swallowed whatever led to them: a `return`,
whose value is dropped there, or nothing at all.
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.flow.graph import LEAVE, Block, Construct, Edge, EnterTry, Graph, Jump, Path, Predecessors
from unjit.decompiler.ir.flow.regions import path_after
from unjit.decompiler.ir.tree.nodes import Reraise
from unjit.decompiler.ir.tree.notes import offset_of
from unjit.decompiler.passes.cleanups.parts.nops_before_copies import NopsBefore
from unjit.decompiler.passes.cleanups.parts.ways_out import after_handler_exit, ways_out

_RECEIVES = frozenset({"END_SEND", "RESUME"})  # what an `await` ends by


def end_instead_of_raising(graph: Graph, suite: list[Block], inside: Path) -> None:
    """A finally suite just ends where the handler would re-raise."""
    end = graph.new_block(graph.entry.offset, inside)
    for block in suite:
        if block.region == inside and block.statements and isinstance(block.statements[-1], Reraise):
            block.statements.pop()
            block.terminator = Jump(Edge(end))


def end_instead_of_copies(graph: Graph, inside: list[Block], path: Path, predecessors: Predecessors) -> None:
    """What led to copies of a suite that never ends leads to nothing after the statement, or is a `return` again."""
    ways = [(block, edge, after_handler_exit(edge)) for block, edge in ways_out(inside, path)]
    if not ways:
        return
    nops = NopsBefore(predecessors)
    has_nop = {start: nops.of(start) is not None for _, _, start in ways}  # before any edge that tells it is led away
    end = graph.new_block(min(start.offset for _, _, start in ways), path[:-1])
    end.statements.append(ast.Return(ast.Constant(None)))  # what nothing comes to is said as soon as anything is
    if not any(map(_is_finally, inside)):  # else the end of its suite is another way out
        end.statements[0].unreached = path  # type: ignore[attr-defined]  # a note of ours on the node
    for block, edge, start in ways:
        working = _last_working(block, inside, predecessors)
        skipped = [between for between in (block, edge.via) if between is not None and between is not working]
        returned = _left_on_the_stack(working, skipped)
        if returned is not None:
            working.statements[-1], working.terminator = ast.Return(returned), LEAVE
        elif not has_nop[start]:
            edge.target, edge.args = end, []
        else:
            edge.target, edge.args = graph.new_block(start.offset, path_after(block)), []
            edge.target.statements.append(ast.Return(ast.Constant(None)))
    graph.forget_order()


def _is_finally(pad: Block) -> bool:
    """Whether a `try … finally` begins here."""
    return isinstance(pad.terminator, EnterTry) and pad.terminator.construct is Construct.FINALLY


def _last_working(block: Block, inside: list[Block], predecessors: Predecessors) -> Block:
    """The block, or, where that only leaves a handler, the one that alone leads to it."""
    entries = predecessors.get(block, [])
    while not block.statements and len(entries) == 1 and entries[0] in inside and block in entries[0].successors():
        block = entries[0]
        entries = predecessors.get(block, [])
    return block


def _left_on_the_stack(block: Block, following: list[Block]) -> ast.expr | None:
    """The value that a block computes last and keeps: the copy of a suite that returns another drops it.

    So may what follows the block, without a statement of its own.
    """
    last = block.statements[-1] if block.statements and isinstance(block.terminator, Jump) else None
    if not isinstance(last, ast.Expr):
        return None
    end = max(offset_of(node) or 0 for node in ast.walk(last))
    instrs = [i for each in (block, *following) for i in each.instrs]
    after = [i for i in instrs if i.offset > end and i.op not in _RECEIVES]
    return None if after and after[0].op == "POP_TOP" else last.value
