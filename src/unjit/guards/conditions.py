"""Conditions on several values: relations of sizes, and that names mean one object, or different ones.

Torch prints them as Python over the frame's locals `L` and the globals `G`. They are parsed, not run: only the
operators, sources and functions listed here are let through, and torch's helpers are renamed to the runtime's.
"""

from __future__ import annotations

import ast
import functools

from unjit.guards.expressions import tree_of
from unjit.guards.leaf_text import Parsed
from unjit.torch_private.guard_trees.state import is_shape_function

_FREE = {"L", "G", "type", "dict", "list", "int", "float", "bool", "len", "min", "max", "abs", "torch"}
_RENAMED = {"___from_numpy": "as_tensor", "___as_tensor": "float_tensor", "___dataclass_fields": "dataclass_fields"}
_CALLS = {
    "check_no_aliasing": "are_different",
    "check_overlapping": "memory_is_shared",
    "___get_torch_function_mode_stack_at": "function_mode",
}
_NODES = (
    ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Constant, ast.Call, ast.Attribute, ast.Subscript, ast.Name,
    ast.Tuple, ast.List, ast.Slice, ast.keyword, ast.IfExp, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.Load,
)  # fmt: skip


class _Unreadable(Exception):
    """A part of a condition has no known form."""


@functools.lru_cache(maxsize=4096)
def parse_condition(text: str) -> Parsed | None:
    """The condition over `L` and `G`; None if a part of it has no known form."""
    try:
        written = _Rewriter().visit(tree_of(text.strip()))
    except (SyntaxError, ValueError, RecursionError, MemoryError, _Unreadable):
        return None
    return Parsed(ast.unparse(ast.fix_missing_locations(written)), text.strip())


class _Rewriter(ast.NodeTransformer):
    """Names of torch's helpers to those of the runtime; _Unreadable at everything that is not listed."""

    def visit(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, _NODES):
            raise _Unreadable(type(node).__name__)
        found = super().visit(node)
        assert isinstance(found, ast.AST)
        return found

    def written(self, node: ast.expr) -> ast.expr:
        found = self.visit(node)
        assert isinstance(found, ast.expr)
        return found

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in _FREE:
            return node
        if node.id == "inf":
            return tree_of("float('inf')")
        raise _Unreadable(node.id)

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        return ast.keyword(node.arg, self.written(node.value))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        arguments = [self.written(argument) for argument in node.args]
        arguments += [self.written(keyword.value) for keyword in node.keywords]
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "__import__":
            return node
        if name == "___tuple_iterator_getitem":
            rest = ast.Call(ast.Name("rest_of", ast.Load()), arguments[:1], [])
            return ast.Subscript(rest, arguments[1], ast.Load())
        return ast.Call(self._function(node.func, name), arguments, [])

    def _function(self, function: ast.expr, name: str) -> ast.expr:
        known = _CALLS.get(name) or _RENAMED.get(name)
        if known:
            return ast.Name(known, ast.Load())
        if name and name not in _FREE and is_shape_function(name):
            return tree_of(f"shape_function({name!r})")
        if ast.unparse(function).startswith("math.") and is_shape_function("math"):
            return tree_of(f"shape_function('math').{ast.unparse(function)[5:]}")
        return self.written(function)
