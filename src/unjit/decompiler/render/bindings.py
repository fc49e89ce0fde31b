"""Which names statements read and which they bind, as the compiler sees it: a comprehension has its own variables."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from unjit.decompiler.ir.parts import parts_of
from unjit.decompiler.render.captures import COMPREHENSIONS

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_SCOPES_OF_THEIR_OWN = ("body", "type_params")  # the fields of definitions that are such


class Bindings:
    """Of the statements of one scope; what functions and classes in them do is left out."""

    def __init__(self, nodes: Iterable[ast.AST]) -> None:
        self.read: set[str] = set()
        self.bound: set[str] = set()
        work = list(nodes)
        while work:
            work += self._take(work.pop())

    def _take(self, node: ast.AST) -> list[ast.AST]:
        """Note the names of the node itself; give the nodes in it that belong to the scope."""
        if isinstance(node, ast.Name):
            (self.read if isinstance(node.ctx, ast.Load) else self.bound).add(node.id)
        elif isinstance(node, COMPREHENSIONS):
            return self._comprehension(node)
        elif isinstance(node, ast.alias):
            self.bound.add((node.asname or node.name).partition(".")[0])
        else:
            names = (getattr(node, field, None) for field in ("name", "rest"))
            self.bound.update(name for name in names if isinstance(name, str))
        return parts_of(node, _SCOPES_OF_THEIR_OWN if isinstance(node, _DEFINITIONS) else ())

    def _comprehension(self, node: ast.expr) -> list[ast.AST]:
        """What it loops over first is read in the scope around it."""
        first, *others = node.generators  # type: ignore[attr-defined]
        own = [part for part in parts_of(node) if part is not first]
        inside = Bindings([first.target, *first.ifs, *own])
        targets = Bindings(loop.target for loop in (first, *others)).bound
        self.read |= inside.read - targets
        self.bound |= inside.bound - targets  # by `:=`
        return [first.iter]
