"""What a node stands for, if it is a constant."""

from __future__ import annotations

import ast
import math

from unjit.decompiler.ir.tree.nodes import Temp


def is_none(node: ast.AST | None) -> bool:
    """Whether it is the constant None; no node at all is not."""
    return isinstance(node, ast.Constant) and node.value is None


def is_text(node: ast.AST | None) -> bool:
    """Whether it is a constant of text."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_identifier(node: ast.AST | None) -> bool:
    """Whether it is text by which a keyword argument can be named: `**{"name": value}` is `name=value`."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier()


def is_like_no_other(node: ast.AST | None) -> bool:
    """Whether it is a constant that is hashed and compared without asking anybody, and equal to none but the same."""
    constant = node.definition if isinstance(node, Temp) else node
    return isinstance(constant, ast.Constant) and _equals_none_of_another_class(constant.value)


def _equals_none_of_another_class(value: object) -> bool:
    """Of numbers neither True nor what is whole and no int, which are equal to ints, nor nan, which never is."""
    if type(value) is float:
        return not (value.is_integer() or math.isnan(value))
    if type(value) is tuple:
        return all(map(_equals_none_of_another_class, value))
    return value is None or type(value) in (str, int)
