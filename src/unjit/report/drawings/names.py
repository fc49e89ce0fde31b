"""The names in a piece of Python."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from typing import Final

_WITHOUT: Final = frozenset({ast.Constant, ast.Load, ast.Store, ast.Del})  # what holds no names, of which there is most


def names_in(tree: ast.AST) -> Iterator[ast.Name]:
    """The names in the order of `ast.walk`, which takes several times as long."""
    pending = deque([tree])
    while pending:
        node = pending.popleft()
        if isinstance(node, ast.Name):
            yield node
        elif isinstance(node, ast.Attribute):
            pending.append(node.value)
        elif node.__class__ not in _WITHOUT:
            pending.extend(ast.iter_child_nodes(node))


def dotted(value: ast.expr) -> str:
    """An expression as text; at once, where it is a chain of attributes of a name."""
    parts, inner = [], value
    while isinstance(inner, ast.Attribute):
        parts.append(inner.attr)
        inner = inner.value
    return ".".join([inner.id, *reversed(parts)]) if isinstance(inner, ast.Name) else ast.unparse(value)
