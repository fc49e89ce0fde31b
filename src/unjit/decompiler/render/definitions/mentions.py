"""Which names a scope uses and binds, and which of them the scopes nested in it capture, as the compiler sees it.

What a comprehension loops over first, and the defaults, decorators, bases and annotations of a definition, belong to
the scope around them; what a nested scope binds itself, it does not capture. A comprehension that the compiler inlines
(3.12) is no scope: it captures nothing, and but for its own variables its names are those of the scope around it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from unjit.bytecode import versions as v
from unjit.decompiler.ir.tree.fields import parts_of

_INLINED = (ast.ListComp, ast.SetComp, ast.DictComp)  # from 3.12 on
COMPREHENSIONS = (*_INLINED, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = (*COMPREHENSIONS, *_FUNCTIONS, ast.ClassDef)


class Mentioned:
    """The names that nodes of one scope use, those that they bind, and those that scopes nested in them capture."""

    def __init__(self, nodes: Iterable[ast.AST]) -> None:
        self.used: set[str] = set()
        self.bound: set[str] = set()
        self.declared: set[str] = set()  # global or nonlocal
        self.captured: set[str] = set()
        self.lent: set[str] = set()  # variables of inlined comprehensions that scopes within these capture
        found = list(nodes)
        for node in found:  # the list grows while it is walked
            if isinstance(node, ast.Name):
                self.used.add(node.id)
                if not isinstance(node.ctx, ast.Load):
                    self.bound.add(node.id)
            elif type(node) is not ast.Constant:
                found += self._take(node)

    def _take(self, node: ast.AST) -> list[ast.AST]:
        """Note the names that a node has as text; give the nodes in it that belong to the same scope."""
        if isinstance(node, _SCOPES):
            around, inside = _divided(node)
            self._take_scope(node, Mentioned(inside))
            return around
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            self.used.update(node.names)
            self.declared.update(node.names)
        else:
            self.bound.update(_bound_by(node))
        return parts_of(node)

    def _take_scope(self, scope: ast.AST, inside: Mentioned) -> None:
        """Note what a nested scope captures from around it, names of globals among them, and what it binds there."""
        own = _own(scope, inside)
        if isinstance(scope, COMPREHENSIONS):  # what `:=` binds in it belongs to the scope around it
            self.bound |= inside.bound - own
        else:
            self.bound.update(_bound_by(scope))
        if v.PY312 and isinstance(scope, _INLINED):
            self.used |= inside.used - own
            self.captured |= inside.captured - own
            self.lent |= inside.captured & own | inside.lent
        elif isinstance(scope, ast.ClassDef):  # what it binds itself, it looks for nowhere else but among globals
            self.captured |= inside.used - (inside.bound - inside.declared) | inside.captured
        else:
            self.captured |= (inside.used | inside.captured) - own


def _bound_by(node: ast.AST) -> set[str]:
    """The names that a node binds by itself, without a Name in it."""
    if isinstance(node, ast.alias):
        return {(node.asname or node.name).partition(".")[0]}
    return {name for name in (getattr(node, "name", None), getattr(node, "rest", None)) if isinstance(name, str)}


def _own(scope: ast.AST, inside: Mentioned) -> set[str]:
    """The variables of a nested scope that scopes in it see."""
    if isinstance(scope, COMPREHENSIONS):
        return Mentioned([loop.target for loop in scope.generators]).bound
    if isinstance(scope, ast.ClassDef):  # functions in a class do not see its names; the class may look for one outside
        return set()
    own = inside.bound - inside.declared
    if isinstance(scope, _FUNCTIONS):
        own |= {argument.arg for argument in _arguments(scope)}
    return own


def _divided(scope: ast.AST) -> tuple[list[ast.AST], list[ast.AST]]:
    """The parts of a nested scope's node that belong to the scope around it, and those that belong to itself."""
    if isinstance(scope, COMPREHENSIONS):
        first = scope.generators[0]
        others = [part for part in parts_of(scope) if part is not first]
        return [first.iter], [first.target, *first.ifs, *others]
    body = scope.body if isinstance(scope.body, list) else [scope.body]  # type: ignore[attr-defined]  # a definition
    own = [*body, *getattr(scope, "type_params", ())]
    if v.PY314 and isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):  # evaluated later, by a function
        own += [part for part in (scope.returns, *(a.annotation for a in _arguments(scope))) if part is not None]
    return [part for part in _around(scope) if not any(part is one for one in own)], own


def _around(scope: ast.AST) -> list[ast.AST]:
    if not isinstance(scope, _FUNCTIONS):
        return parts_of(scope)
    defaults = [*scope.args.defaults, *(value for value in scope.args.kw_defaults if value is not None)]
    annotations = [a.annotation for a in _arguments(scope) if a.annotation is not None]
    return [*defaults, *annotations, *(part for part in parts_of(scope) if part is not scope.args)]


def _arguments(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[ast.arg]:
    return [part for part in ast.walk(function.args) if isinstance(part, ast.arg)]
