"""What a node stands for, if it is a constant."""

from __future__ import annotations

import ast


def is_none(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def is_text(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_name(node: ast.AST | None) -> bool:
    """Whether it is text that an argument can be named by."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier()
