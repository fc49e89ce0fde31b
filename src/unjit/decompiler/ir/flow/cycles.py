"""Blocks that all reach one another, after Sharir, "A strong-connectivity algorithm" (1981)."""

from __future__ import annotations

from collections.abc import Collection

from unjit.decompiler.ir.flow.graph import Block, Predecessors


def cycles(blocks: Collection[Block]) -> list[list[Block]]:
    """Those of these blocks that all reach one another, and themselves, by way of these blocks alone."""
    predecessors: Predecessors = {block: [] for block in blocks}
    for block in blocks:
        for following in block.successors():
            if following in predecessors:
                predecessors[following].append(block)
    seen: set[Block] = set()
    found = [_reaching(block, predecessors, seen) for block in reversed(_in_post_order(blocks))]
    return [cycle for cycle in found if len(cycle) > 1 or any(block in predecessors[block] for block in cycle)]


def _in_post_order(blocks: Collection[Block]) -> list[Block]:
    """Each after all that only it leads to."""
    order: list[Block] = []
    left = set(blocks)
    for first in blocks:
        path = [(first, iter(first.successors()))] if first in left else []
        left.discard(first)
        while path:
            following = next((block for block in path[-1][1] if block in left), None)
            if following is None:
                order.append(path.pop()[0])
            else:
                left.remove(following)
                path.append((following, iter(following.successors())))
    return order


def _reaching(block: Block, predecessors: Predecessors, seen: set[Block]) -> list[Block]:
    """The block, and all that control comes to it from of what was not seen yet."""
    found: list[Block] = []
    work = [block]
    while work:
        one = work.pop()
        if one not in seen:
            seen.add(one)
            found.append(one)
            work += predecessors[one]
    return found
