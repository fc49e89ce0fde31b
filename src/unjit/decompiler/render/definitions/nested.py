"""What lowering asks of whoever renders the code objects nested in the one at hand."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import CodeType
from typing import TYPE_CHECKING, Protocol, TypeVar

from unjit.decompiler.ir.tree import nodes

if TYPE_CHECKING:
    from unjit.decompiler.render.lowering.lower import Lowering

Read = TypeVar("Read")


class Nested(Protocol):
    """Renders nested code objects; see `functions.FunctionRenderer`."""

    def definition(
        self, made: nodes.MakeFunction, name: str, around: Lowering, annotated_in: Lowering | None = None
    ) -> nodes.Function: ...

    def hidden(self, code: CodeType, read: Callable[[list[ast.stmt]], Read]) -> Read: ...

    def is_bound_as(self, name: str, bound: str) -> bool: ...

    def lambda_(self, made: nodes.MakeFunction, around: Lowering) -> ast.Lambda: ...

    def comprehension(self, made: nodes.MakeFunction, over: ast.expr, around: Lowering) -> ast.expr | None: ...

    def is_named(self, code: CodeType, bound: str) -> bool: ...

    def class_(self, call: ast.Call, bound: str, around: Lowering) -> ast.ClassDef | None: ...

    def inlined(self, node: nodes.Inlined, around: Lowering) -> ast.expr: ...
