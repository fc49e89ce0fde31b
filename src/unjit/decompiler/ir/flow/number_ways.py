"""One way into what control enters at several places: the ways are numbered, and a variable says which one was taken.

*What the compiler did*: nothing of the kind; no statement of Python is entered in its midst. Code that was generated,
or that starts in the midst of a function as Dynamo's resume functions do, can be. *The shape*: edges that lead to
several blocks of one protected region or loop. *What we produce*: all of them lead to a test of the number that each
of them gives, and from there to the block that it led to. *What is left to a variable*: the number, and what the blocks
take from the stack. *Where the idea is from*: the entry dispatch that compilers to structured targets give irreducible
loops (Ramsey, Beyond Relooper, ICFP 2022, tells of it).
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.flow.graph import Block, Branch, Edge, Graph, Path
from unjit.decompiler.ir.tree.nodes import Temp
from unjit.decompiler.ir.tree.notes import mark


def number_ways(graph: Graph, edges: list[Edge], region: Path, handler: int | None) -> dict[Edge, Edge]:
    """Lead the edges to one block of the region, which goes on to where each led; give that way on for each edge."""
    targets = sorted({edge.target for edge in edges}, key=lambda block: (block.offset, block.index))
    assert len(targets) > 1, "what is entered at one place needs no number"
    number, *values = (_value(targets[0]) for _ in range(1 + max(len(target.params) for target in targets)))
    ways = {target: Edge(target, [*values[: len(target.params)]]) for target in targets}
    tests = [graph.new_block(target.offset, region) for target in targets[:-1]]
    tests[0].params = [number, *values]
    others = [*map(Edge, tests[1:]), ways[targets[-1]]]
    for count, (test, target, other) in enumerate(zip(tests, targets, others, strict=False)):
        test.handler = handler
        test.terminator = Branch(ast.Compare(number, [ast.Eq()], [ast.Constant(count)]), ways[target], other)
    onward = {edge: ways[edge.target] for edge in edges}
    for edge in edges:
        absent = [ast.Constant(None)] * (len(values) - len(edge.args))
        edge.args = [ast.Constant(targets.index(edge.target)), *edge.args, *absent]
        edge.target = tests[0]
    return onward


def _value(block: Block) -> Temp:
    value = Temp()
    mark(value, block.offset)
    return value
