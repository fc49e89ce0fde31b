"""A jump statement, `break` or `continue`, that several ways lead to: written once after where these come from.

*What the compiler did*: it made a jump of the statement after an `if` or a `with`, to which the ways through that
lead. *The shape*: edges that led to one block, which only went on to what follows the loop that the block stands in,
or, on a line after theirs, to its head. *What we produce*: that block again, and for a `break` a note which loop it is
in, since nothing comes back from it. *What we refuse*: blocks that pass values on, or that a loop further out is left
from; and a `continue` in whose place some other way goes on.
"""

from __future__ import annotations

from itertools import chain, islice

from unjit.bytecode.instructions.positions import Positions
from unjit.decompiler.ir.as_written.jump_statements import DROPS_ITERATOR
from unjit.decompiler.ir.flow.dominators import Dominators
from unjit.decompiler.ir.flow.graph import Block, Construct, Edge, EnterTry, Graph, Jump, Leave, NextItem, Path
from unjit.decompiler.ir.flow.loops import Loop, LoopRanges, find_loops

Ways = list[tuple[Block, Edge]]  # the edges that lead somewhere, and where from


def run(graph: Graph) -> None:
    skipped, begun = _skipped_jump_statements(graph), _begun_with_jump_statements(graph)
    if not skipped and not begun:
        return
    dominators = Dominators(graph)
    loops = find_loops(dominators)
    ranges = LoopRanges(loops.values())
    tries = [block.terminator for block in graph.reachable() if isinstance(block.terminator, EnterTry)]
    handlers = {enter.handler for enter in tries if enter.construct in (Construct.TRY, Construct.WITH)}
    after = _last_entries(graph, {target for _, target in skipped})
    found = [
        (shared, target, ways, _loop_around(ranges, shared, target, after[target]))
        for (shared, target), ways in skipped.items()
    ]
    if begun:
        nearest = _nearest_loops(dominators, loops)
        for target, ways in begun.items():
            shared = graph.new_block(target.offset, target.region)
            found.append((shared, target, ways, _loop_left(dominators, nearest, target, ways)))
    for shared, target, ways, loop in found:
        if any(edge.target is not target for _, edge in ways):  # the statement stands there already
            continue
        onward = Edge(target, place=ways[0][1].place)
        if loop is not None and _stands_in(loop, shared, ways, dominators):
            _put_back(shared, onward, ways, handlers)
            graph.breaks[shared] = loop.header
        elif (
            not graph.is_comprehension
            and _is_continue(ranges, shared, target, ways)
            and not _says_break(shared, graph.positions)
            and _all_meet(dominators, loops[target], ways)
        ):
            onward.line = shared.first_line
            _put_back(shared, onward, ways, handlers)
    graph.forget_order()


def _stands_in(loop: Loop, shared: Block, ways: Ways, dominators: Dominators) -> bool:
    """Whether it may stand in a loop: no way to it comes from before that, and it is in the regions around."""
    around = loop.header.region
    is_within = all(dominators.dominates(loop.header, block) for block, _ in ways)
    return is_within and shared.region[: len(around)] == around


def _put_back(shared: Block, onward: Edge, ways: Ways, handlers: set[int]) -> None:
    shared.params, shared.statements, shared.terminator = [], [], Jump(onward)
    shared.region = _region(shared, [block for block, _ in ways], handlers)
    for _, edge in ways:
        edge.target = shared


def _is_continue(ranges: LoopRanges, shared: Block, target: Block, ways: Ways) -> bool:
    """Whether `shared` goes back to the loop around it, and has a line of its own after all that leads to it."""
    loop = next(ranges.around(shared.offset), None)
    line = shared.first_line
    if loop is None or target is not loop.header or line is None:
        return False
    return all(block.last_line is not None and block.last_line < line for block, _ in ways)


def _says_break(shared: Block, positions: Positions) -> bool:
    """Whether the place of the jump is as wide as the `break` of a loop within is, which nothing follows."""
    place = positions.at(shared.instrs[-1].offset)
    return place is not None and place.width == len("break")


def _all_meet(dominators: Dominators, loop: Loop, ways: Ways) -> bool:
    """Whether the statement that the ways come from has no way on to what follows it in the loop."""
    around: Block | None = ways[0][0]
    while around is not None and not all(dominators.dominates(around, block) for block, _ in ways):
        around = dominators.idom(around)
    return around is not None and not any(
        target in loop.blocks and target is not loop.header and not dominators.dominates(around, target)
        for block in dominators.dominated(around)
        for target in block.successors()
    )


def _skipped_jump_statements(graph: Graph) -> dict[tuple[Block, Block], Ways]:
    """Blocks that were only a jump statement, with what they lead to: those that several edges skip."""
    found: dict[tuple[Block, Block], Ways] = {}
    for block, edge in graph.edges():
        if edge.via is not None and not edge.args and edge.via.is_jump_statement:
            found.setdefault((edge.via, edge.target), []).append((block, edge))
    return {way: ways for way, ways in found.items() if len(ways) > 1}


def _begun_with_jump_statements(graph: Graph) -> dict[Block, Ways]:
    """Blocks that begin with the NOP of a jump statement to which every way leads, and whose jump went right there."""
    beginning: dict[Block, Ways] = {block: [] for block in graph.reachable() if _begins_with_jump_statement(block)}
    if not beginning:
        return {}
    for block, edge in graph.edges():
        if edge.target in beginning:
            beginning[edge.target].append((block, edge))
    return {
        block: ways
        for block, ways in beginning.items()
        if len(ways) > 1 and all(edge.came_to == block.offset and not edge.args for _, edge in ways)
    }


def _begins_with_jump_statement(block: Block) -> bool:
    if len(block.instrs) < 2 or block.params:
        return False
    first, second = block.instrs[:2]
    return first.op == "NOP" and first.offset == block.offset and first.line != second.line


def _last_entries(graph: Graph, targets: set[Block]) -> dict[Block, int]:
    """Where in the bytecode each of the blocks stands, or, of copied returns, the last that leads to any of them."""
    last = {target: target.stands_at for target in targets}
    for block, edge in graph.edges():
        if edge.target in last and isinstance(edge.target.terminator, Leave):
            last[edge.target] = max(last[edge.target], block.stands_at)
    return last


def _loop_around(ranges: LoopRanges, shared: Block, target: Block, last: int) -> Loop | None:
    """The innermost loop around `shared`, if `target` stands after that one, or what comes to it as well does.

    Or if nothing stands after it, and the next loop is gone on with; or if it drops what the loop iterates over.
    """
    loop, further = islice(chain(ranges.around(shared.offset), (None, None)), 2)
    if loop is None or target in loop.blocks:
        return None
    drops = isinstance(loop.header.terminator, NextItem) and any(i.op in DROPS_ITERATOR for i in shared.instrs)
    goes_on = further is not None and target is further.header and loop.end <= further.end  # and lies within that
    return loop if last >= loop.end or drops or goes_on else None


def _nearest_loops(dominators: Dominators, loops: dict[Block, Loop]) -> dict[Block, Loop]:
    """For each block the loop of the nearest header that dominates it, whether or not the loop is left by then."""
    nearest: dict[Block, Loop] = {}
    for block in dominators.order:
        above = dominators.idom(block)
        if block in loops:
            nearest[block] = loops[block]
        elif above in nearest:
            nearest[block] = nearest[above]
    return nearest


def _loop_left(dominators: Dominators, nearest: dict[Block, Loop], target: Block, ways: Ways) -> Loop | None:
    """The loop that all `ways` leave from its midst, where they meet right after it."""
    above = dominators.idom(target)
    loop = None if above is None else nearest.get(above)
    is_header = target in nearest and nearest[target].header is target  # of `while True`, which is a NOP as well
    if is_header or loop is None or target in loop.blocks or isinstance(loop.header.terminator, NextItem):
        return None
    usual = loop.exit_of_test()
    if any(edge is usual for _, edge in ways) or all(block.offset >= loop.end for block, _ in ways):
        return None
    return loop


def _region(shared: Block, leading: list[Block], handlers: set[int]) -> Path:
    """The regions that `shared` was written in: as it cannot raise, the compiler protected it by none of them.

    They are those of the blocks `leading` to it, as far as these are the suites of a `try … except` or a `with`, which
    `handlers` knows by their handlers; what follows a `with` is led to by what that swallows as well.
    """
    region = shared.region
    common = leading[0].region
    while any(block.region[: len(common)] != common for block in leading):
        common = common[:-1]
    while common[: len(region)] == region and len(common) > len(region):
        further = common[len(region)]
        if further.kind != "try" or further.handler not in handlers:
            break
        region = (*region, further)
    return region
