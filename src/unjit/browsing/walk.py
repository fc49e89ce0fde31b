"""Where a person is in the tree, and what is shown: without a terminal, so that each kind of terminal can use it."""

from __future__ import annotations

from dataclasses import dataclass

from unjit.contents import Node


@dataclass
class Level:
    """A node that was entered: its text is shown, or one of its views of code."""

    node: Node
    inside: tuple[Node, ...]
    shown: Node
    chosen: int = 0

    @classmethod
    def of(cls, node: Node) -> Level:
        """The level of a node that is entered just now."""
        return cls(node, node.inside(), node)


class Walk:
    """A walk through a tree: down into what is chosen, up again, and from one view of code to the next."""

    def __init__(self, top: Node) -> None:
        self._levels = [Level.of(top)]

    @property
    def here(self) -> Level:
        """The deepest node that was entered."""
        return self._levels[-1]

    @property
    def shown(self) -> Node:
        """The node whose text is to be seen."""
        return self.here.shown

    @property
    def title(self) -> str:
        """Where one is, in one line."""
        return f"{self.shown.path or 'everything'}: {self.shown.title}"

    def choose(self, steps: int) -> None:
        """Move the choice among what is inside by so many steps, as far as there is something."""
        last = len(self.here.inside) - 1
        self.here.chosen = max(0, min(last, self.here.chosen + steps))

    def descend(self, number: int | None = None) -> bool:
        """Enter what is chosen, or what has this number; False if there is nothing."""
        chosen = self.here.chosen if number is None else number
        if not 0 <= chosen < len(self.here.inside):
            return False
        self.here.chosen = chosen
        self._levels.append(Level.of(self.here.inside[chosen]))
        return True

    def ascend(self) -> bool:
        """Back to where one came from; False at the top."""
        if len(self._levels) == 1:
            return False
        self._levels.pop()
        return True

    def toggle(self) -> bool:
        """The next view of the code here: source, what runs in its place, its instructions. False if there is none."""
        views = self._views()
        if not views:
            return False
        order = views if self.here.node.kind == "code" else [self.here.node, *views]
        at = [view.path for view in order].index(self.shown.path)
        self.here.shown = order[(at + 1) % len(order)]
        return True

    def _views(self) -> list[Node]:
        """The views of code of this place: of this node, of what it is a part of, or of the first compile in it."""
        beside = self._levels[-2].inside if len(self._levels) > 1 else ()
        compiles = [child for child in self.here.inside if child.kind in ("compile", "entry")]
        below = compiles[0].inside() if compiles else ()
        for nodes in (self.here.inside, beside, below):
            found = [node for node in nodes if node.kind == "code"]
            if found:
                return found
        return []
