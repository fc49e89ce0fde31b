"""One return for each statement that returns a value chosen on several ways.

*What the compiler did*: it copied the return after every way through the expression, or after some of them. *What we
produce*: one block that returns, and every way leading to it with its value, so that conditions fold into the
expression again. *What we refuse*: returns on different lines, where several were written; but all of a lambda, and of
what `eval` compiles, is one expression, in which only returns that differ in one part are left to conditions.
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.flow.graph import Block, Branch, Edge, Graph, Jump, Leave, NextItem, Predecessors
from unjit.decompiler.ir.tree.constants import is_none
from unjit.decompiler.ir.tree.nodes import MatchesPattern, Temp
from unjit.decompiler.kinds import Kind, kind_of
from unjit.decompiler.passes.conditions.parts.leaving_arms import one_difference


def run(graph: Graph) -> None:
    returning = [block for block in graph.reachable() if _returned(block) is not None]
    if len(returning) < 2:
        return
    if graph.code.co_name == "<lambda>" or kind_of(graph.code) is Kind.EXPRESSION:
        apart = [one for one in returning if not any(_are_one_statement(one, other) for other in returning)]
        _join(apart, _one_for_all(graph, returning[-1]))
    else:
        predecessors = graph.predecessors()
        apart = [block for block in returning if not _ends_what_is_around(block, predecessors)]
        for kept in returning:
            if _returns_its_value(kept):  # those joined so far hand their value on instead
                _join([block for block in apart if block is not kept and _is_copy(block, kept)], kept)
    graph.forget_order()


def _are_one_statement(block: Block, other: Block) -> bool:
    """Whether what they differ in was chosen within what is returned: conditions fold that."""
    if block is other or block.params or other.params:
        return False
    return one_difference(block, other) is not None


def _one_for_all(graph: Graph, like: Block) -> Block:
    value = Temp()
    last = graph.new_block(like.offset, like.region)
    last.params, last.statements = [value], [ast.Return(value)]
    value.uses = 1
    return last


def _join(returning: list[Block], last: Block) -> None:
    """Let blocks hand what they return on to `last`."""
    for block in returning:
        returned = _returned(block)
        if returned is not None and block.region == last.region:
            block.statements.pop()
            block.terminator = Jump(Edge(last, [returned]))


def _returns_its_value(block: Block) -> bool:
    """Whether a block does nothing but return the value that it is entered with."""
    return len(block.params) == 1 and len(block.statements) == 1 and _returned(block) is block.params[0]


def _is_copy(block: Block, kept: Block) -> bool:
    return block.last_line is not None and block.last_line == kept.last_line


def _ends_what_is_around(block: Block, predecessors: Predecessors) -> bool:
    """Whether it is the return of None after `for x in y: return a and b` or a `case`, with that on one line."""
    returned = _returned(block)
    if not is_none(returned):
        return False
    return any(map(_asks_no_truth, predecessors.get(block, [])))


def _asks_no_truth(block: Block) -> bool:
    """Whether control divides after it as it does in no expression."""
    asks = block.terminator
    return isinstance(asks, NextItem) or (isinstance(asks, Branch) and isinstance(asks.test, MatchesPattern))


def _returned(block: Block) -> ast.expr | None:
    last = block.statements[-1] if block.statements else None
    return last.value if isinstance(block.terminator, Leave) and isinstance(last, ast.Return) else None
