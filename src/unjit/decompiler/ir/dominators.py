"""Immediate dominators, after Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001)."""

from __future__ import annotations

from collections.abc import Iterator

from unjit.decompiler.ir.graph import Block, Graph


class Dominators:
    """Who dominates whom among the reachable blocks of a graph, and the order in which to visit them."""

    def __init__(self, graph: Graph) -> None:
        self.order = graph.reachable()
        self.number = {block: i for i, block in enumerate(self.order)}
        self.into: dict[Block, list[Block]] = {block: [] for block in self.order}
        for block in self.order:
            for following in block.successors():
                self.into[following].append(block)
        self._idom = self._solve()
        self._children: list[list[int]] = [[] for _ in self.order]
        for i, parent in enumerate(self._idom):
            if i:
                self._children[parent].append(i)
        self._enter, self._leave = self._intervals()

    def _solve(self) -> list[int]:
        idom = [0] + [-1] * (len(self.order) - 1)
        changed = True
        while changed:
            changed = False
            for i, block in enumerate(self.order[1:], 1):
                known = [self.number[p] for p in self.into[block] if idom[self.number[p]] >= 0]
                new = known[0]
                for other in known[1:]:
                    new = _common(idom, new, other)
                if new != idom[i]:
                    idom[i], changed = new, True
        return idom

    def _intervals(self) -> tuple[list[int], list[int]]:
        """Pre- and post-numbers in the dominator tree: a dominates b iff its interval encloses b's."""
        children = self._children
        enter, leave, clock = [0] * len(self.order), [0] * len(self.order), 0
        stack = [(0, iter(children[0]))]
        while stack:
            node, rest = stack[-1]
            child = next(rest, None)
            clock += 1
            if child is None:
                leave[node] = clock
                stack.pop()
            else:
                enter[child] = clock
                stack.append((child, iter(children[child])))
        return enter, leave

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


def _common(idom: list[int], a: int, b: int) -> int:
    while a != b:
        while a > b:
            a = idom[a]
        while b > a:
            b = idom[b]
    return a
