"""The displays that `seen_through` has not made yet, at the place in a block that lifting has come to."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from unjit.decompiler.ir.tree.nodes import Temp


@dataclass(slots=True)
class PutOff:
    """The displays, by the Temp that stands for each until it is made."""

    lists: dict[Temp, list[ast.expr]] = field(default_factory=dict)  # what lists and tuples hold by now
    dicts: dict[Temp, ast.Dict] = field(default_factory=dict)
    slices: dict[Temp, ast.Slice] = field(default_factory=dict)

    def __contains__(self, value: object) -> bool:
        return value in self.lists or value in self.dicts or value in self.slices

    def holders(self) -> list[list[ast.expr]]:
        """The values of each display."""
        return [*self.lists.values(), *[display.values for display in self.dicts.values()]]

    def held_by(self, value: ast.expr) -> list[ast.expr]:
        """All values in a display, and in those in it; none where it is made, or is no display."""
        held: list[ast.expr] = []
        work: list[Any] = [value]
        while work:
            display = work.pop()
            values = self.lists.get(display) or (self.dicts[display].values if display in self.dicts else [])
            held += values
            work += values
        return held

    def may_read(self, name: str) -> bool:
        """Whether any display holds the local of this name, not taken yet."""
        holders = self.holders() if self.lists or self.dicts else ()
        return any(reads(value, name) for values in holders for value in values)

    def reachable_from(self, stack: list[ast.expr], known: dict[ast.expr, Temp]) -> PutOff:
        """A copy with those alone that the stack holds, directly or in another; `known` are those made since."""
        found, work = PutOff(), list(stack) if self.lists or self.dicts or self.slices else []
        while work:
            value = work.pop()
            if value in found:
                continue
            if value in self.lists:
                contents = found.lists[value] = [known.get(part, part) for part in self.lists[value]]
                work += contents
            elif value in self.dicts:
                display = self.dicts[value]
                values = [known.get(part, part) for part in display.values]
                found.dicts[value] = ast.Dict(list(display.keys), values)
                work += values
            elif value in self.slices:
                found.slices[value] = self.slices[value]
        return found

    def same(self, other: PutOff) -> bool:
        """Whether the same displays are put off, and hold the same."""
        return (
            self.lists == other.lists
            and self.slices.keys() == other.slices.keys()
            and {temp: display.values for temp, display in self.dicts.items()}
            == {temp: display.values for temp, display in other.dicts.items()}
        )


def reads(value: ast.expr, name: str) -> bool:
    """Whether the value is the local of this name, not taken yet."""
    return type(value) is ast.Name and value.id == name
