"""Protect what cannot raise like what surrounds it.

*What the compiler did*: ranges in the exception table cover what may raise; a jump or a NOP between two parts of a
try body may lie outside. *What we produce*: such a block gets the handler that the blocks before and after it share,
so that the body is in one piece. Nothing can tell the difference.
"""

from __future__ import annotations

from collections.abc import Callable

from unjit.bytecode import versions as v
from unjit.decompiler.ir.flow.graph import Block, Branch, Graph, Jump, Predecessors

CANNOT_RAISE = v.UNCONDITIONAL_JUMPS | {
    "NOP",
    "RESUME",
    "LOAD_CONST",
    "LOAD_FAST",
    "STORE_FAST",
    "POP_TOP",
    "POP_BLOCK",
    "PUSH_NULL",
    "SWAP",
    "COPY",
    "ROT_TWO",
    "ROT_THREE",
    "ROT_FOUR",
    "SETUP_FINALLY",
    "END_FOR",
    "POP_JUMP_IF_NONE",
    "POP_JUMP_IF_NOT_NONE",
    "POP_ITER",
}
if v.PY313:  # from then on TO_BOOL is what asks for the truth, and may raise
    CANNOT_RAISE |= {"POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE"}

_ENTERS = frozenset({"NOP", "SETUP_FINALLY"})
_FAR = 32  # blocks that a search for neighbours passes: long runs of silent blocks cost no more than their length


def fill_holes(graph: Graph, blocks: dict[int, Block]) -> None:
    """Give each block that cannot raise the innermost handler common to its neighbours, where that is deeper."""
    if all(block.handler is None for block in graph.blocks):
        return
    predecessors: Predecessors = {block: [] for block in graph.blocks}
    for block in graph.blocks:
        for following in block.successors():
            predecessors[following].append(block)
    silent = {b for b in graph.blocks if _cannot_raise(b)}
    begun = {block: _begun_in_a_loop(block, predecessors, blocks) for block in silent}
    filled: dict[Block, int | None] = {}
    changed = True
    while changed:
        changed = False
        for block in graph.blocks:
            if block not in silent:
                continue
            before = _neighbours(block, silent, predecessors.__getitem__)
            after = _neighbours(block, silent, Block.successors)
            handler = _shared_handler(before, after, blocks, begun[block])
            if handler is not None and _stands_after(block, before, blocks[handler]):
                continue
            if handler is not None and handler not in _chain_of(block.handler, blocks):
                filled.setdefault(block, block.handler)
                block.handler, changed = handler, True
    _drop_entries(graph, filled, silent, predecessors, blocks)
    _join(graph, filled, predecessors)


def _drop_entries(
    graph: Graph,
    filled: dict[Block, int | None],
    silent: set[Block],
    predecessors: Predecessors,
    blocks: dict[int, Block],
) -> None:
    """Take filled holes out of regions that would be entered by them at another place beside their own.

    Then what else cannot raise: where a finally suite is copied, a NOP in it may be protected as the try is.
    """
    extra = [graph.entry]
    while extra:
        entered: dict[int, list[Block]] = {}
        chains = {block: _chain_of(block.handler, blocks) for block in graph.blocks}
        for block in graph.blocks:
            for handler in chains[block]:
                if block is graph.entry or any(handler not in chains[other] for other in predecessors[block]):
                    entered.setdefault(handler, []).append(block)
        needed = {handler for block in graph.blocks if block not in silent for handler in chains[block]}
        several = {handler: found for handler, found in entered.items() if len(found) > 1}
        extra = [block for found in several.values() for block in found if block in filled] or [
            block for handler in needed & several.keys() for block in several[handler] if block in silent
        ]
        for block in dict.fromkeys(extra):
            around = chains[block][1] if len(chains[block]) > 1 else None
            if block in filled and (around is None or around in _chain_of(filled[block], blocks)):
                block.handler = filled.pop(block)
            else:
                block.handler = around


def _join(graph: Graph, filled: dict[Block, int | None], predecessors: Predecessors) -> None:
    """Put together again what a hole alone cut apart: a test, say, and what it tests, or the beginning of a suite."""
    joined: dict[Block, Block] = {}
    for block in filled:
        following = block.successors()
        for first, second in ((predecessors[block][:1], [block]), ([block], following[:1])):
            if (
                first
                and second
                and _only_leads_on(first[0], second[0], predecessors)
                and second[0] not in graph.handled
            ):
                _append(first[0], second[0], joined)
    graph.blocks = [block for block in graph.blocks if block not in joined]


def _only_leads_on(block: Block, after: Block, predecessors: Predecessors) -> bool:
    jump = block.terminator
    if not isinstance(jump, Jump) or jump.edge.args or block.leaves_handler:
        return False
    return jump.edge.target is after and predecessors[after] == [block] and after.handler == block.handler


def _append(block: Block, after: Block, joined: dict[Block, Block]) -> None:
    while block in joined:
        block = joined[block]
    if block is not after:
        block.statements += after.statements
        block.instrs += after.instrs
        block.terminator, block.leaves_handler = after.terminator, after.leaves_handler
        joined[after] = block


def _neighbours(block: Block, silent: set[Block], next_to: Callable[[Block], list[Block]]) -> list[Block]:
    """The nearest blocks on one side that are no part of the same hole: silent and protected as `block` is."""
    found: list[Block] = []
    seen, work = {block}, list(next_to(block))
    while work:
        other = work.pop()
        if other in seen:
            continue
        seen.add(other)
        if other in silent and other.handler == block.handler and len(seen) < _FAR:
            work += next_to(other)
        else:
            found.append(other)
    return found


def _cannot_raise(block: Block) -> bool:
    return isinstance(block.terminator, Jump | Branch) and all(i.op in CANNOT_RAISE for i in block.instrs)


def _begun_in_a_loop(block: Block, predecessors: Predecessors, blocks: dict[int, Block]) -> list[int]:
    """The handlers of each `try` that begins with the block, where a loop comes back to that, or to what led to it.

    A `try` is no more than a line there; from 3.14 on that of `while True` comes first.
    """
    start, last = _enters_from(block, predecessors), block
    first = [b for b in predecessors[start] if b.offset < start.offset]
    if not _only_enters(block) or len(first) == len(predecessors[start]):
        return []
    tries = 0 if start is not block or not v.PY314 else -1
    while _only_enters(last):
        tries += len(last.instrs)
        (last,) = last.successors()
    earlier = {handler for b in (start, *first) for handler in _chain_of(b.handler, blocks)}
    if last.handler in earlier:
        return []  # it was begun before: what only exceptions lead to is moved to the end from 3.12 on
    return [handler for handler in _chain_of(last.handler, blocks)[: max(1, tries)] if handler not in earlier]


def _enters_from(block: Block, predecessors: Predecessors) -> Block:
    """The first of the blocks that only enter something and lead to this one, one to the next: they never jump."""
    while len(predecessors[block]) == 1 and _only_enters(predecessors[block][0]):
        (block,) = predecessors[block]
    return block


def _only_enters(block: Block) -> bool:
    is_one = isinstance(block.terminator, Jump) and bool(block.instrs)
    return is_one and all(instr.op in _ENTERS for instr in block.instrs)


def _stands_after(block: Block, before: list[Block], handler: Block) -> bool:
    """Whether a clause stands, by its line, between what lies before the block and the block itself.

    What only cleans up, after a `with` or `except … as`, has the line that these begin on; a copy of a finally suite
    has the lines of that.
    """
    worked = [instr.line for instr in block.instrs if instr.op != "NOP"]  # which the end of a `try` leaves
    caught, first = handler.first_line, worked[0] if worked else block.first_line
    if caught is None or first is None or first < caught:
        return False
    return all(b.first_line is not None and b.first_line < caught for b in before)


def _shared_handler(before: list[Block], after: list[Block], blocks: dict[int, Block], begun: list[int]) -> int | None:
    following = {handler for block in after for handler in _chain_of(block.handler, blocks)}
    for block in before:
        for handler in _chain_of(block.handler, blocks):
            if handler in following and handler not in begun:
                return handler
    return None


def _chain_of(handler: int | None, blocks: dict[int, Block]) -> list[int]:
    """A handler and those around it, innermost first."""
    chain: list[int] = []
    while handler is not None and handler not in chain:
        chain.append(handler)
        handler = blocks[handler].handler
    return chain
