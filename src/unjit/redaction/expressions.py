"""Python expressions over the user's values, without constants."""

from __future__ import annotations

import ast
import builtins
import re
from typing import Final

from unjit.redaction.words import SMALL, TENSOR_FAILURE

_ROOTS: Final = {"L", "G"}  # a frame's locals and globals: their keys are names
# Attributes whose keys are names too.
_NAMED: Final = {"_modules", "_parameters", "_buffers", "__dict__", "__closure__"}

_UNREADABLE: Final = (SyntaxError, ValueError, RecursionError, MemoryError)


def redacted_expression(text: str) -> str | None:
    """The expression with `...` for each constant in it; None if it is no expression.

    Names stay, and numbers of one digit, None, True and False.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
        return ast.unparse(ast.fix_missing_locations(_WithoutConstants().visit(tree)))
    except _UNREADABLE:
        return None


def redacted_condition(text: str) -> str | None:
    """A comparison, as Dynamo gives it for a reason, without what the value is compared with; None if it is another."""
    failed = TENSOR_FAILURE.fullmatch(text.strip())
    if failed:
        return f"tensor '{redacted_expression(failed['what']) or '...'}' {failed['rest']}"
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        return _without_right_sides(tree) if isinstance(tree, ast.Compare) else None
    except _UNREADABLE:
        return None


def _without_right_sides(tree: ast.Compare) -> str:
    kept = [node if _is_small(node) else ast.Constant(...) for node in tree.comparators]
    left = redacted_expression(ast.unparse(tree.left)) or "..."
    tree.left, tree.comparators = ast.parse(left, mode="eval").body, kept
    return ast.unparse(tree)


def is_clean_source(text: str) -> bool:
    """Whether an expression has nothing that would be left out."""
    redacted = redacted_expression(text)
    return redacted is not None and "..." not in redacted


def mangled(text: str) -> str:
    """What Dynamo makes of an expression when it names a graph's input after it, as far as that tells two apart."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def _is_small(node: ast.AST) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    if not isinstance(node, ast.Constant):
        return False
    if node.value is None or isinstance(node.value, bool):
        return True
    return isinstance(node.value, (int, float)) and bool(SMALL.fullmatch(str(node.value)))


class _WithoutConstants(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return node if _is_small(node) or node.value is ... else ast.Constant(...)

    def visit_JoinedStr(self, _node: ast.JoinedStr) -> ast.AST:
        return ast.Constant(...)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """`L['x']` and `x._modules['fc']`: the keys are names there."""
        if _has_named_keys(node.value) and _is_name(node.slice):
            return ast.Subscript(self.visit(node.value), node.slice, node.ctx)
        return self.generic_visit(node)


def _has_named_keys(node: ast.AST) -> bool:
    if isinstance(node, ast.Name):
        return node.id in _ROOTS
    return isinstance(node, ast.Attribute) and node.attr in _NAMED


def _is_name(node: ast.AST) -> bool:
    """An identifier, or the number of a part of a list of modules."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    return node.value.isidentifier() or bool(re.fullmatch(r"\d{1,3}", node.value))


def is_builtin(name: str) -> bool:
    """Whether a name is one of Python's own."""
    return hasattr(builtins, name)
