"""One end for each module and class body, which nobody writes.

*What the compiler did*: it put `return None` after every way to the end, and before it, in a class body, stores of
what only the class machinery reads. *What we produce*: one empty block that every way leads to. *What we refuse*:
functions, whose returns are statements, and expressions, whose value is what is returned.
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.flow.graph import Block, Edge, Graph, Jump, Leave
from unjit.decompiler.ir.tree.constants import is_none
from unjit.decompiler.ir.tree.nodes import CellRef
from unjit.decompiler.kinds import Kind, kind_of

# What a class body stores last.
_LAST_STORES = frozenset({"__classcell__", "__classdictcell__", "__static_attributes__"})


def run(graph: Graph) -> None:
    kind = kind_of(graph.code)
    if kind in (Kind.FUNCTION, Kind.EXPRESSION):
        return
    ending = [block for block in graph.blocks if _returns_nothing(block)]  # handlers are not connected yet
    if not ending:
        return
    after_all = max(instr.offset for block in graph.blocks for instr in block.instrs) + 1
    end = graph.new_block(after_all, ())
    for block in ending:
        block.statements.pop()
        while kind is Kind.CLASS and block.statements and _is_last_store(block.statements[-1]):
            block.statements.pop()
        block.terminator = Jump(Edge(end))
    graph.forget_order()


def _returns_nothing(block: Block) -> bool:
    last = block.statements[-1] if block.statements else None
    if not isinstance(block.terminator, Leave) or not isinstance(last, ast.Return):
        return False
    return isinstance(last.value, CellRef) or is_none(last.value)


def _is_last_store(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Constant | CellRef):
        return False
    target = statement.targets[0]
    return isinstance(target, ast.Name) and target.id in _LAST_STORES
