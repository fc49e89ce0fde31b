"""One return for each lambda, and for what `eval` compiles: its body is one expression.

*What the compiler did*: it copied the return behind every way through the expression. *What we produce*: one block
that returns, and every way leading to it with its value, so that conditions fold into the expression again. *What we
refuse*: other functions, where several returns were written as several.
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.graph import Block, Edge, Graph, Jump, Leave
from unjit.decompiler.ir.nodes import Temp
from unjit.decompiler.kinds import Kind, kind_of


def run(graph: Graph) -> None:
    if graph.code.co_name != "<lambda>" and kind_of(graph.code) is not Kind.EXPRESSION:
        return
    returning = [block for block in graph.reachable() if _returned(block) is not None]
    if len(returning) < 2:
        return
    value = Temp()
    last = graph.new_block(returning[-1].offset, returning[-1].region)
    last.params, last.statements = [value], [ast.Return(value)]
    value.uses = 1
    for block in returning:
        returned = _returned(block)
        if returned is not None and block.region == last.region:
            block.statements.pop()
            block.terminator = Jump(Edge(last, [returned]))
    graph.forget_order()


def _returned(block: Block) -> ast.expr | None:
    last = block.statements[-1] if block.statements else None
    return last.value if isinstance(block.terminator, Leave) and isinstance(last, ast.Return) else None
