"""One block for the exit that a try begins with, where the compiler copied it.

*What the compiler did*: it copied short exits to the jumps that led to them, those in a try as well: `try: raise x`
after an `if` is there once for each arm, each in the protected range. *The shape*: blocks that enter one region from
outside, end the frame, perhaps by a `return` after the range, and are the same instructions of the same lines. *What
we produce*: the first of them, entered from everywhere. *What we refuse*: blocks that read what different paths left on
the stack.
"""

from __future__ import annotations

import ast

from unjit.bytecode.constants.constant_key import constant_key
from unjit.decompiler.ir.flow.graph import Block, Edge, Graph, Jump, Leave
from unjit.decompiler.ir.tree.nodes import Define, Temp
from unjit.decompiler.ir.tree.order import count_temps


def merge_entries(graph: Graph, entering: list[Edge]) -> None:
    """Of the edges that enter one region: those that lead to copies lead to the first of them from here on."""
    targets = dict.fromkeys(edge.target for edge in entering)
    if len(targets) < 2:
        return
    originals: dict[object, Block] = {}
    for block in sorted(targets, key=lambda block: block.offset):
        exit_ = _exit(block)
        if exit_ and not _reads_stack(exit_):
            originals.setdefault(_work(exit_), block)
    for edge in entering:
        same = originals.get(_work(_exit(edge.target)))
        if same is not None and same is not edge.target:
            _redirect(edge, same, graph)
    copies = targets.keys() - {edge.target for edge in entering}
    if copies:
        _drop_line_of_try(set(entering), graph)
    _drop(copies, graph)


def _drop_line_of_try(entering: set[Edge], graph: Graph) -> None:
    """Take away the NOP that `try:` left before each copy, which is on the way of a jump statement else."""
    before = [block for block in graph.blocks if not entering.isdisjoint(block.terminator.edges())]
    lines = {block.instrs[-1].line if block.instrs and block.instrs[-1].op == "NOP" else None for block in before}
    if len(lines) == 1 and None not in lines:
        for block in before:
            block.instrs = block.instrs[:-1]


def _exit(block: Block) -> list[Block]:
    """The block, and what alone it goes on to, where that ends the frame; else nothing."""
    jump = block.terminator
    if isinstance(jump, Leave):
        return [block]
    if not isinstance(jump, Jump) or jump.edge.args or not isinstance(jump.edge.target.terminator, Leave):
        return []
    return [block, jump.edge.target]


def _work(exit_: list[Block]) -> object:
    done = tuple((i.op, constant_key(i.value), i.arg, i.line) for block in exit_ for i in block.instrs if i.op != "NOP")
    return tuple((block.handler, block.region) for block in exit_), done


def _reads_stack(exit_: list[Block]) -> bool:
    read: dict[Temp, int] = {}
    for block in exit_:
        count_temps(block.statements, read)
    return not read.keys() <= {s.temp for block in exit_ for s in block.statements if isinstance(s, Define)}


def _drop(copies: set[Block], graph: Graph) -> None:
    """Take copies out of the graph, with ends that nothing else leads to."""
    if not copies:
        return
    ends = {end for copy in copies for end in _exit(copy)[1:]}
    kept = {following for block in graph.blocks if block not in copies for following in block.successors()}
    graph.blocks = [block for block in graph.blocks if block not in copies and block not in ends - kept]


def _redirect(edge: Edge, to: Block, graph: Graph) -> None:
    """To the block with the same stack, of which it may take more, or less, as parameters."""
    given: dict[ast.expr, ast.expr] = dict(zip(edge.target.params, edge.args, strict=True))
    stack = [given.get(value, value) for value in graph.stacks[edge.target.offset]]
    edge.args = [stack[graph.stacks[to.offset].index(param)] for param in to.params]
    edge.target = to
