"""Immediate dominators, after Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001)."""

from __future__ import annotations

from collections.abc import Iterator

from unjit.decompiler.ir.flow.graph import Block, Graph


class Dominators:
    """Who dominates whom among the reachable blocks of a graph, and the order in which to visit them."""

    def __init__(self, graph: Graph) -> None:
        self.order = graph.reachable()
        self.number = {block: i for i, block in enumerate(self.order)}
        self.predecessors = graph.predecessors()
        self._idom = self._solve()
        self._children: list[list[int]] = [[] for _ in self.order]
        for i, parent in enumerate(self._idom[1:], 1):
            self._children[parent].append(i)
        self._enter, self._leave = self._intervals()

    def _solve(self) -> list[int]:
        predecessors = [[self.number[before] for before in self.predecessors[block]] for block in self.order]
        has_ways_back = any(before >= i for i, befores in enumerate(predecessors) for before in befores)
        idom = [0] + [-1] * (len(predecessors) - 1)
        while _solve_once(predecessors, idom) and has_ways_back:
            pass
        return idom

    def _intervals(self) -> tuple[list[int], list[int]]:
        """Where each subtree of the dominator tree begins and ends in pre-order: a dominates b iff its own holds b's.

        A dominator comes before what it dominates, so that no tree has to be walked.
        """
        size = [1] * len(self.order)
        for i in range(len(size) - 1, 0, -1):
            size[self._idom[i]] += size[i]
        enter, following = [0] * len(size), [1] * len(size)  # the latter: where its next child begins
        for i, parent in enumerate(self._idom[1:], 1):
            enter[i] = following[parent]
            following[parent] += size[i]
            following[i] = enter[i] + 1
        return enter, [start + count for start, count in zip(enter, size, strict=True)]

    def idom(self, block: Block) -> Block | None:
        """The immediate dominator; None for the entry."""
        i = self.number[block]
        return self.order[self._idom[i]] if i else None

    def dominates(self, a: Block, b: Block) -> bool:
        """Whether every path to `b` passes `a`; a block dominates itself."""
        i, j = self.number[a], self.number[b]
        return self._enter[i] <= self._enter[j] and self._leave[j] <= self._leave[i]

    def dominated(self, block: Block) -> Iterator[Block]:
        """The block and all that it dominates, parents before children."""
        work = [self.number[block]]
        while work:
            i = work.pop()
            yield self.order[i]
            work += reversed(self._children[i])


def _solve_once(predecessors: list[list[int]], idom: list[int]) -> bool:
    """Bring every block's dominator up to date, in the order of control; whether any was not."""
    changed = False
    for i, befores in enumerate(predecessors[1:], 1):
        new = -1
        for before in befores:
            if idom[before] >= 0:
                new = before if new < 0 else _common(idom, new, before)
        if new != idom[i]:
            idom[i], changed = new, True
    return changed


def _common(idom: list[int], a: int, b: int) -> int:
    while a != b:
        while a > b:
            a = idom[a]
        while b > a:
            b = idom[b]
    return a
