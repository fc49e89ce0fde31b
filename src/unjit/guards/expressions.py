"""Small operations on the text of Python expressions."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Mapping

_PLACEHOLDER = re.compile(r"(?<![\w'\".])_(?![\w'\"])")  # the name `_`, not a part of a word or an attribute
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Eq: ast.NotEq,
    ast.In: ast.NotIn,
}


def tree_of(text: str) -> ast.expr:
    """An expression as a tree. Raises SyntaxError if the text is none."""
    return ast.parse(text, mode="eval").body


def uses(template: str) -> int:
    """How often an expression reads `_`."""
    return len(_places(template))


def substituted(template: str, value: str) -> str:
    """The expression with `value`, itself an expression, for `_`."""
    places = _places(template)
    if len(places) > 1 or not value.isidentifier():
        value = value if _is_atom(value) else f"({value})"
    for start in reversed(places):
        template = template[:start] + value + template[start + 1 :]
    return template


@functools.lru_cache(maxsize=4096)
def _places(template: str) -> tuple[int, ...]:
    """Where `_` stands as a name: not inside of strings."""
    found = tuple(match.start() for match in _PLACEHOLDER.finditer(template))
    if not found or not ("'" in template or '"' in template):
        return found
    names = [node for node in ast.walk(ast.parse(template, mode="eval")) if isinstance(node, ast.Name)]
    starts = {len(template.encode()[: node.col_offset].decode()) for node in names if node.id == "_"}
    return tuple(sorted(starts))


@functools.lru_cache(maxsize=4096)
def _is_atom(text: str) -> bool:
    """Whether an expression binds at least as strongly as an attribute."""
    node = tree_of(text)
    return isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.List, ast.Dict, ast.Tuple))


def negated(text: str) -> str:
    """An expression that is true where `text` is false, in the way in which a person would write it."""
    node = tree_of(text)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return ast.unparse(node.operand)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPPOSITE:
        opposite = ast.Compare(node.left, [_OPPOSITE[type(node.ops[0])]()], node.comparators)
        return ast.unparse(opposite)
    return f"not {text}" if isinstance(node, (ast.Call, ast.Compare)) else f"not ({text})"


def with_names(text: str, names: Mapping[str, str]) -> str:
    """The expression with each part that has a name replaced by the name."""

    class Namer(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            name = names.get(ast.unparse(node)) if isinstance(node, (ast.Subscript, ast.Attribute)) else None
            found = super().visit(node) if name is None else ast.Name(name, ast.Load())
            assert isinstance(found, ast.AST)
            return found

    return ast.unparse(Namer().visit(tree_of(text)))
