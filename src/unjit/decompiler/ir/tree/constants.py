"""What a node stands for, if it is a constant."""

from __future__ import annotations

import ast


def is_none(node: ast.AST | None) -> bool:
    """Whether it is the constant None; no node at all is not."""
    return isinstance(node, ast.Constant) and node.value is None


def is_text(node: ast.AST | None) -> bool:
    """Whether it is a constant of text."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_identifier(node: ast.AST | None) -> bool:
    """Whether it is text by which a keyword argument can be named: `**{"name": value}` is `name=value`."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier()
