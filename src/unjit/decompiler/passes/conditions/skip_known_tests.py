"""A test of what was just tested, and stayed on the stack: it is known how it turns out.

*What the compiler did*: on 3.12 and 3.13, `(x and y) or z` in a loop tests `x` once more where it was false. *The
shape*: a branch hands what it tested to a block that does nothing but branch on it. *What we produce*: an edge to where
that branch leads. Only where that block has other ways in is this needed, as in Dynamo's resume functions: else both
are one expression. *What we refuse*: blocks in another region, and those whose values are read after them.
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.flow.graph import Block, Branch, Edge, Graph
from unjit.decompiler.ir.tree.nodes import Temp
from unjit.decompiler.ir.tree.order import count_temps


def run(graph: Graph) -> None:
    graph.skips_known_tests = True
    for block in graph.reachable():
        branch = block.terminator
        if isinstance(branch, Branch) and isinstance(branch.test, Temp):
            for edge in branch.edges():
                onward = _onward(block, edge, branch.test, graph, holds=edge is branch.true)
                if onward is not None:
                    _lead(edge, onward)
    graph.forget_order()


def _lead(edge: Edge, onward: Edge) -> None:
    """Lead an edge to where another one does, past what is between them."""
    for args, change in ((edge.args, -1), (onward.args, 1)):
        counts: dict[Temp, int] = {}
        count_temps(args, counts)
        for temp, count in counts.items():
            temp.uses += change * count
    edge.target, edge.args, edge.via = onward.target, onward.args, edge.target


def _onward(block: Block, edge: Edge, test: Temp, graph: Graph, *, holds: bool) -> Edge | None:
    """Where an edge comes to after the test that it leads to, if that is of the same value."""
    middle, again = edge.target, edge.target.terminator
    if middle.statements or middle is block or not isinstance(again, Branch):
        return None
    if middle.region != block.region or middle in graph.handled or middle.leaves_handler:
        return None
    given: dict[ast.expr, ast.expr] = dict(zip(middle.params, edge.args, strict=True))
    if given.get(again.test) is not test or any(_is_read_after(param, again) for param in middle.params):
        return None
    way = again.true if holds else again.false
    if any(not isinstance(arg, (ast.Constant, Temp)) for arg in way.args):
        return None
    return Edge(way.target, [given.get(arg, arg) for arg in way.args])


def _is_read_after(param: Temp, again: Branch) -> bool:
    """Whether what a block is handed is read by more than its test and what it hands on."""
    handed_on = sum(arg is param for way in again.edges() for arg in way.args)
    return param.uses > handed_on + (again.test is param)
