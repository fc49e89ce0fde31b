"""A choice that stands alone in its line, as in `a and a.close()`: what it came to is dropped after it.

*What the compiler did*: every way through the expression leaves a value, and the first thing done where the ways meet
is to drop it. Or nothing ever does: it was to be returned, after a finally suite that leaves by itself. *The shape*: a
block that begins by dropping what each way to it has just computed or tested, or from which nothing reads that. *What
we produce*: a statement that reads the value, so that conditions fold the ways into the expression again. *What we
refuse*: values that lay there before, such as the subject of a match statement; a place to which every way brings a
value that was tested, after the left side of an `or`; and ways that no test parted, as into code entered in its midst.
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.flow.dominators import Dominators
from unjit.decompiler.ir.flow.graph import Block, Branch, Edge, Graph, Jump
from unjit.decompiler.ir.flow.regions import path_after
from unjit.decompiler.ir.tree.compare import same_expression
from unjit.decompiler.ir.tree.nodes import Define, Temp
from unjit.decompiler.ir.tree.notes import mark, offset_of
from unjit.decompiler.ir.tree.order import count_temps
from unjit.decompiler.ir.tree.uses import dead_params, read_roots

Ways = dict[Block, list[tuple[Block, Edge]]]


def run(graph: Graph) -> None:
    handed = [block for block in graph.reachable() if block.params and block not in graph.handled]
    dropping = [block for block in handed if _begins_by_dropping(block, graph) or _may_keep_for_nobody(block, graph)]
    if not dropping:
        return
    before: Ways = {}
    for block, edge in graph.edges():
        before.setdefault(edge.target, []).append((block, edge))
    meeting = _without_readers([block for block in dropping if _ends_choice(before[block], before)], graph)
    if not meeting:
        return
    dominators = Dominators(graph)
    for block in meeting:
        parting = dominators.idom(block)
        if parting is not None and isinstance(parting.terminator, Branch):
            _read_last(_in_region_of_ways(block, before[block], graph))
    graph.forget_order()


def _read_last(block: Block) -> None:
    """Let a block begin by reading the last of what it is given."""
    statement = ast.Expr(block.params[-1])
    mark(statement, block.offset)
    block.statements.insert(0, statement)


def _in_region_of_ways(block: Block, ways: list[tuple[Block, Edge]], graph: Graph) -> Block:
    """The block, or, where it stands outside of the region that all ways come out of, one in there before it."""
    regions = {path_after(way) for way, _ in ways}
    if len(regions) > 1 or block.region in regions:
        return block
    inside = graph.new_block(block.offset, *regions)
    inside.params = [Temp() for _ in block.params]
    inside.terminator = Jump(Edge(block, list(inside.params)))
    for _, edge in ways:
        edge.target = inside
    return inside


def _without_readers(meeting: list[Block], graph: Graph) -> list[Block]:
    """Those at which the value is dropped, or never read."""
    if all(_begins_by_dropping(block, graph) for block in meeting):
        return meeting
    dead = set(dead_params(graph))
    return [block for block in meeting if block.params[-1] in dead]


def _ends_choice(ways: list[tuple[Block, Edge]], before: Ways) -> bool:
    """Whether on each of several ways the value was just made, or tested, and on one at least just made."""
    made = [_has_just_made(way, edge.args[-1], before) for way, edge in ways]
    if len(ways) < 2 or not any(made):
        return False
    return all(known or _has_tested(way, edge.args[-1], before) for (way, edge), known in zip(ways, made, strict=True))


def _begins_by_dropping(block: Block, graph: Graph) -> bool:
    """Whether a block begins by dropping the last of what it is given."""
    return bool(block.instrs) and block.instrs[0].op == "POP_TOP" and _has_last_on_top(block, graph)


def _may_keep_for_nobody(block: Block, graph: Graph) -> bool:
    """Whether a block before what may be a finally suite does not read the last of what it is given."""
    if not graph.is_protected or not _has_last_on_top(block, graph):
        return False
    read: dict[Temp, int] = {}
    count_temps(read_roots(block), read)
    return block.params[-1] not in read


def _has_last_on_top(block: Block, graph: Graph) -> bool:
    stack = graph.stacks.get(block.offset, ())
    return bool(stack) and stack[-1] is block.params[-1]


def _has_just_made(block: Block, value: ast.expr, before: Ways) -> bool:
    """Whether a value that the block hands on is what it computed last: nothing has tested that.

    Or what was so on the first of the ways to it: what lay there before they parted, as an iterator does, is not.
    """
    seen: set[Block] = set()
    while isinstance(block.terminator, Jump):
        if not isinstance(value, Temp):
            return offset_of(value) in {instr.offset for instr in block.instrs}
        made = [statement.temp for statement in block.statements if isinstance(statement, Define)]
        if made or value not in block.params[-1:] or block in seen:
            return value in made[-1:]
        seen.add(block)
        ways = [(way, edge) for way, edge in before.get(block, ()) if isinstance(way.terminator, Jump)]
        if not ways:
            return bool(before.get(block))
        block, value = ways[0][0], ways[0][1].args[-1]
    return False


def _has_tested(block: Block, value: ast.expr, before: Ways) -> bool:
    """Whether a value that the block hands on is what it tested, or what was tested right before.

    After the test of a chained comparison that fails, a block drops what lies below its outcome.
    """
    tests = [block.terminator]
    if isinstance(block.terminator, Jump):
        tests = [way.terminator for way, _ in before.get(block, ())]
    return bool(tests) and all(isinstance(test, Branch) and same_expression(test.test, value) for test in tests)
