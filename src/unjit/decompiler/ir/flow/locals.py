"""Whether a local may stand for a value that was taken from it earlier: nothing stored to it in between."""

from __future__ import annotations

import ast
import functools

from unjit.decompiler.ir.flow.graph import Block, Graph
from unjit.decompiler.ir.tree.nodes import Temp
from unjit.decompiler.ir.tree.order import temps_in
from unjit.decompiler.ir.tree.uses import all_roots, names_stored

_FAR = 32  # blocks looked through before those that cannot come to a read are left out


class Locals:
    """The locals of one graph, which does not change while they are asked about."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def may_change(self, name: str, param: Temp) -> bool:
        """Whether local `name` may be stored to after `param` got its value, and before `param` is read.

        Where there is a `try`, a value that is just returned counts as changed: it was taken for a `finally`.
        """
        if name not in self._ever_stored:
            return False
        home = self._homes[param]
        if home in self.graph.handled:  # an exception comes from anywhere in what it protects
            return True
        changes = self._changes(name, param, home, None)  # mostly that is told nearby
        return bool(self._changes(name, param, home, self._between(home, param)) if changes is None else changes)

    def _changes(self, name: str, param: Temp, home: Block, between: set[Block] | None) -> bool | None:
        """Whether `param` is read after a store to the local, as far as the blocks `between` go.

        With no `between`, all blocks are looked through; None if they are too many to say.
        """
        work = [(home, False)]
        seen: set[tuple[Block, bool]] = set()
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
            onward = [
                after for after in block.successors() if after is not home and (between is None or after in between)
            ]
            new = [(after, changed) for after in dict.fromkeys(onward) if (after, changed) not in seen]
            seen.update(new)
            work += new
            if between is None and len(seen) > _FAR:
                return None
        return False

    def _between(self, home: Block, param: Temp) -> set[Block]:
        """The blocks on the ways from where a parameter begins to where it is read."""
        found, work = {home}, list(self._readers.get(param, ()))
        while work:
            block = work.pop()
            if block not in found:
                found.add(block)
                work += self._before[block]
        return found

    @functools.cached_property
    def _stored(self) -> dict[Block, set[str]]:
        """The locals that each block binds or unbinds."""
        return {block: set().union(*map(names_stored, block.statements)) for block in self.graph.reachable()}

    @functools.cached_property
    def _ever_stored(self) -> set[str]:
        return set().union(*self._stored.values())

    @functools.cached_property
    def _homes(self) -> dict[Temp, Block]:
        return {param: block for block in self.graph.reachable() for param in block.params}

    @functools.cached_property
    def _readers(self) -> dict[Temp, set[Block]]:
        """The blocks that read each value, or get it where they handle an exception."""
        readers: dict[Temp, set[Block]] = {}
        for block in self.graph.reachable():
            handed = [value for row in self.graph.handled.get(block, ()) for value in row]
            for temp in temps_in(*all_roots(block), *handed):
                readers.setdefault(temp, set()).add(block)
        return readers

    @functools.cached_property
    def _before(self) -> dict[Block, list[Block]]:
        """The blocks that lead to each, or raise what it handles."""
        handlers = {handler.index: handler for handler in self.graph.handled}
        before = self.graph.predecessors()
        for block in before:
            handler = None if block.handler is None else handlers.get(block.handler)
            if handler in before:
                before[handler].append(block)
        return before


def _returns(block: Block, param: Temp) -> bool:
    last = block.statements[-1] if block.statements else None
    return isinstance(last, ast.Return) and last.value is param
