"""Lowering and writing of expressions deeper than Python's stack, a slice at a time (see `ir.tree.slices`).

It takes longer, so it is for code that cannot be rendered otherwise.
"""

from __future__ import annotations

import ast
from typing import Any

from unjit.decompiler.ir.tree import nodes
from unjit.decompiler.ir.tree.order import put
from unjit.decompiler.ir.tree.slices import Place, places
from unjit.decompiler.render.lowering.lower import Lowering, is_lowered_by_parts
from unjit.decompiler.render.printing.brackets import ATOM, TEST
from unjit.decompiler.render.printing.writer import Writer

_LEVELS = range(ATOM + 1)
_OF_OTHER_CODE = (nodes.Apart,)  # it has a lowering of its own
_APART = (ast.JoinedStr, ast.Lambda)  # where something stands in one of these counts for its text


class LoweringInSlices(Lowering):
    """Lowers the deepest slice of what it is to visit first."""

    _is_inside = False

    def visit(self, node: ast.AST) -> Any:
        if self._is_inside:
            return super().visit(node)
        self._is_inside = True
        try:
            for place in places(node, _is_lowered_as_it_is, _OF_OTHER_CODE):
                put(place, nodes.Lowered(super().visit(place.node)))
            return super().visit(node)
        finally:
            self._is_inside = False


def _is_lowered_as_it_is(place: Place) -> bool:
    """Whether it can be lowered ahead: the lowering of the node around it asks for nothing but the result."""
    kind, special = type(place.parent), isinstance(place.node, ast.Slice | ast.Tuple | ast.Starred | ast.keyword)
    if kind is ast.BinOp:
        return place.field == "right" and not special
    return is_lowered_by_parts(kind) or (kind is ast.Subscript and not special)


def _is_written_as_it_is(place: Place) -> bool:
    """Whether it can be written ahead: not a sum on the left of a sum, where writing goes down without recursion."""
    return place.field != "left" or not isinstance(place.node, ast.BinOp)


class WriterInSlices(Writer):
    """Writes the deepest slice of what it is to write first, for any place in which that may stand."""

    def __init__(self) -> None:
        super().__init__()
        self._written: dict[int, tuple[list[str], list[int]]] | None = None  # texts by level, and offsets

    def text(self, node: ast.AST, level: int = TEST) -> str:
        if self._written is not None:
            texts, offsets = self._written.get(id(node), (None, ()))
            self.offsets += offsets
            return super().text(node, level) if texts is None else texts[level]
        self._written = {}
        try:
            for place in places(node, _is_written_as_it_is, _APART):
                self._written[id(place.node)] = self._for_each_level(place.node)
            return super().text(node, level)
        finally:
            self._written = None

    def in_field(self, node: ast.AST) -> str:
        """Write a field from the beginning: nothing in it is part of a slice of what is around."""
        outer, self._written = self._written, None
        try:
            return super().in_field(node)
        finally:
            self._written = outer

    def apart(self) -> Writer:
        return WriterInSlices()

    def _for_each_level(self, node: ast.AST) -> tuple[list[str], list[int]]:
        outer, self.offsets = self.offsets, []
        texts = [self.text(node, level) for level in _LEVELS]
        offsets, self.offsets = self.offsets, outer
        return texts, list(dict.fromkeys(offsets))
