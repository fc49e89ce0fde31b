"""Nodes of a statement to text, with brackets only where the text would mean something else without.

`ast.unparse` writes more of them, and takes several times as long as compiling. What is written for each kind of node
says `expressions` and `patterns`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.render.printing.brackets import OR, TEST
from unjit.decompiler.render.printing.expressions import EXPRESSIONS
from unjit.decompiler.render.printing.patterns import PATTERNS
from unjit.decompiler.render.printing.strings import ANYTHING_IN_FIELDS

WRITERS = {**EXPRESSIONS, **PATTERNS}


class Writer:
    """Texts of the nodes of one statement; `offsets` collects the instructions that they were made from."""

    def __init__(self) -> None:
        self.offsets: list[int] = []
        self.backslashes = True  # whether one may stand here

    def text(self, node: ast.AST, level: int = TEST) -> str:
        """The node as text, for a place that needs `level`. Raises CannotExpress for a node without syntax."""
        at = getattr(node, "at", None)
        if at is not None:
            self.offsets.append(at)
        if type(node) is ast.Name:  # every second one
            return node.id
        write = WRITERS.get(type(node))
        if write is None:
            raise CannotExpress(f"{type(node).__name__} has no source form where it stands")
        return write(self, node, level)

    def in_field(self, node: ast.AST) -> str:
        """The node as text, for a field of an f-string."""
        before, self.backslashes = self.backslashes, ANYTHING_IN_FIELDS
        shown = self.text(node, TEST if _ends_in_no_lambda(node) else OR)
        self.backslashes = before
        return shown

    def apart(self) -> Writer:
        """A writer for what is other bytecode: its offsets are not this code's."""
        return Writer()

    def texts(self, nodes: Iterable[ast.AST]) -> str:
        """The nodes as text, with commas between them."""
        return ", ".join(map(self.text, nodes))


def _ends_in_no_lambda(node: ast.AST) -> bool:
    """Whether it is a choice that needs no parentheses in a field, which the colon of a lambda would end."""
    last = node
    while isinstance(last, ast.IfExp):
        last = last.orelse
    return last is not node and not isinstance(last, ast.Lambda)
