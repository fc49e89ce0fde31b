"""Which fields of a node can hold further nodes."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

# Fields that hold names, numbers, or nodes that are the same wherever they stand: an operator, a context.
_NO_PARTS = frozenset({"ctx", "op", "ops", "id", "attr", "kind", "conversion", "is_async", "type_comment"})


class _FieldsOf(dict[type, tuple[str, ...]]):
    """For each class of nodes its fields with parts; made when a class is first asked for. None for anything else."""

    def __missing__(self, kind: type) -> tuple[str, ...]:
        fields = kind._fields if issubclass(kind, ast.AST) and kind is not ast.Constant else ()
        found = self[kind] = tuple(field for field in fields if field not in _NO_PARTS)
        return found


FIELDS_OF = _FieldsOf()


class _HeldBy(dict[type, Callable[[Any], tuple[Any, ...]]]):
    """For each class of nodes a function from a node to what these fields hold: nodes, lists of nodes, text, None."""

    def __missing__(self, kind: type) -> Callable[[Any], tuple[Any, ...]]:
        fields = FIELDS_OF[kind]
        if len(fields) > 1:
            self[kind] = operator.attrgetter(*fields)
        elif fields:  # a getter of two takes half the time of a function around one of one: some text comes with it
            self[kind] = operator.attrgetter(*fields, "__module__")
        else:
            self[kind] = lambda _: ()
        return self[kind]


HELD_BY = _HeldBy()


def parts_of(node: ast.AST) -> list[ast.AST]:
    """The nodes that a node is made of."""
    parts: list[ast.AST] = []
    for value in HELD_BY[type(node)](node):
        if isinstance(value, ast.AST):
            parts.append(value)
        elif type(value) is list:
            parts += [part for part in value if isinstance(part, ast.AST)]
    return parts
