"""Whether a local still has, where a value that was taken from it is read, the value that it had."""

from __future__ import annotations

import ast
import functools

from unjit.decompiler.ir.graph import Block, Graph
from unjit.decompiler.ir.nodes import Temp
from unjit.decompiler.ir.order import temps_in
from unjit.decompiler.ir.uses import all_roots, names_stored


class Locals:
    """The locals of one graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @functools.cached_property
    def _stored(self) -> dict[Block, set[str]]:
        """The locals that each block binds or unbinds."""
        return {block: set().union(*map(names_stored, block.statements)) for block in self.graph.reachable()}

    @functools.cached_property
    def _homes(self) -> dict[Temp, Block]:
        return {param: block for block in self.graph.reachable() for param in block.params}

    def may_change(self, name: str, param: Temp) -> bool:
        """Whether a store to the local may come between where `param`, which is given its value, begins and is read.

        What is returned as it is counts as such where there is a `try`: it was taken for that, before a `finally`.
        """
        if not any(name in stored for stored in self._stored.values()):
            return False
        home = self._homes[param]
        if home in self.graph.handled:  # an exception comes from anywhere in what it protects
            return True
        work, seen = [(home, False)], set[tuple[Block, bool]]()
        while work:
            block, changed = work.pop()
            if self.graph.is_protected and _returns(block, param):
                return True
            for root in all_roots(block) if changed or name in self._stored[block] else ():
                if changed and param in temps_in(root):
                    return True
                if isinstance(root, ast.stmt) and name in names_stored(root):
                    if block.handler is not None:  # it may read the value, too
                        return True
                    changed = True
            new = {(after, changed) for after in block.successors() if after is not home} - seen
            seen |= new
            work += new
        return False


def _returns(block: Block, param: Temp) -> bool:
    last = block.statements[-1] if block.statements else None
    return isinstance(last, ast.Return) and last.value is param
