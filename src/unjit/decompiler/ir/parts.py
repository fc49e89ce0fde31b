"""Which fields of a node can hold further nodes."""

from __future__ import annotations

import ast

# Fields that hold names, numbers, or nodes that are the same wherever they stand: an operator, a context.
_NO_PARTS = frozenset({"ctx", "op", "ops", "id", "attr", "kind", "conversion", "is_async", "type_comment"})


class _FieldsOf(dict[type, tuple[str, ...]]):
    """For each class of nodes its fields with parts; made when a class is first asked for. None for anything else."""

    def __missing__(self, kind: type) -> tuple[str, ...]:
        fields = kind._fields if issubclass(kind, ast.AST) and kind is not ast.Constant else ()
        found = self[kind] = tuple(field for field in fields if field not in _NO_PARTS)
        return found


FIELDS_OF = _FieldsOf()


def parts_of(node: ast.AST, without: tuple[str, ...] = ()) -> list[ast.AST]:
    """The nodes that a node is made of, those in the fields `without` left out."""
    values = (getattr(node, field, None) for field in FIELDS_OF[type(node)] if field not in without)
    parts = (value if isinstance(value, list) else [value] for value in values)
    return [part for some in parts for part in some if isinstance(part, ast.AST)]
