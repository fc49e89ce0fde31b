"""One thing that can be looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from unjit.model import to_plain

Kind = Literal[
    "capture",
    "process",
    "calls",  # in which compiles began
    "function",
    "compile",  # with the entry that it made
    "entry",  # one whose compile is not in the capture
    "code",  # the user's, what runs in its place, or its instructions: a key changes from one to the next
    "guards",
    "break",
    "recompile",
    "graph",
    "kernel",
    "text",
]


@dataclass(frozen=True)
class Node:
    """A place in the tree. What is costly is made when it is asked for."""

    path: str  # from the top: toy/compile_0/guards; empty for the top itself
    kind: Kind
    title: str  # one line
    text: Callable[[], str]
    value: Callable[[], Any]  # of the model, or a tuple of such
    inside: Callable[[], tuple[Node, ...]] = field(default=tuple)

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition("/")[2]

    @property
    def data(self) -> dict[str, Any]:
        """The node in plain dictionaries, lists, strings and numbers."""
        return {"path": self.path, "kind": self.kind, "data": to_plain(self.value())}

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in the order of reading."""
        yield self
        for child in self.inside():
            yield from child.walk()
