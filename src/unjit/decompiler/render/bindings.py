"""Which names statements read and which they bind, as the compiler sees it: a comprehension has its own variables."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from unjit.decompiler.ir.parts import FIELDS_OF

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
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
        elif isinstance(node, _COMPREHENSIONS):
            return self._comprehension(node)
        elif isinstance(node, ast.alias):
            self.bound.add((node.asname or node.name).partition(".")[0])
        else:
            names = (getattr(node, field, None) for field in ("name", "rest"))
            self.bound.update(name for name in names if isinstance(name, str))
        return _parts(node, _SCOPES_OF_THEIR_OWN if isinstance(node, _DEFINITIONS) else ())

    def _comprehension(self, node: ast.expr) -> list[ast.AST]:
        """What it loops over first is read in the scope around it."""
        first, *others = node.generators  # type: ignore[attr-defined]
        own = [part for part in _parts(node) if part is not first]
        inside = Bindings([first.target, *first.ifs, *own])
        targets = Bindings(loop.target for loop in (first, *others)).bound
        self.read |= inside.read - targets
        self.bound |= inside.bound - targets  # by `:=`
        return [first.iter]


def _parts(node: ast.AST, without: tuple[str, ...] = ()) -> list[ast.AST]:
    values = (getattr(node, field, None) for field in FIELDS_OF[type(node)] if field not in without)
    parts = (value if isinstance(value, list) else [value] for value in values)
    return [part for some in parts for part in some if isinstance(part, ast.AST)]
