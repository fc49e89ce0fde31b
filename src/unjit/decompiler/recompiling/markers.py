"""Constants that have no literal: each a literal like no other while its source is compiled, put back in the code."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping
from types import CodeType

from unjit.decompiler.ir.tree.literals import literal
from unjit.decompiler.render.printing.strings import STRING


def marker(index: int) -> tuple[str, int]:
    """A literal that stands for constant number `index` while compiling; nothing else looks like it."""
    return ("unjit constant", index)


def marked_text(source: str, names: Collection[str]) -> str | None:
    """What was printed, with markers in place of the names of constants.

    None where a name stands in a string, which may be an f-string, or before `=`, where it may be that of an argument.
    """
    markers = {name: repr(marker(k)) for k, name in enumerate(names)}
    for piece in _PIECES.findall(source):
        is_string, is_followed = piece[0] in "'\"", piece[-1] == "=" and piece[0] != "#"
        if (is_string and any(name in piece for name in names)) or (is_followed and piece[:-1] in markers):
            return None
    return _PIECES.sub(lambda found: markers.get(found.group(), found.group()), source)


# Comments are pieces since one could not tell else where strings begin; words may have `=` right after them.
_PIECES = re.compile(rf"{STRING}|#[^\n]*|\b[^\W\d]\w*=?", re.DOTALL)


def put_markers(tree: ast.Module, names: Collection[str]) -> None:
    """Markers in place of the names of constants, anywhere in the tree."""
    index = {name: k for k, name in enumerate(names)}

    def marked(node: object) -> object:
        if not isinstance(node, ast.Name) or node.id not in index:
            return node
        return ast.copy_location(literal(marker(index[node.id])), node)

    for node in ast.walk(tree):
        for field, value in ast.iter_fields(node):
            setattr(node, field, list(map(marked, value)) if isinstance(value, list) else marked(value))


def with_constants(code: CodeType, values: Mapping[tuple[str, int], object]) -> CodeType:
    """The code with the constants themselves in place of their markers."""

    def replaced(const: object) -> object:
        if isinstance(const, CodeType):
            return with_constants(const, values)
        if isinstance(const, tuple):
            return values[const] if const in values else tuple(replaced(item) for item in const)
        return const

    return code.replace(co_consts=tuple(replaced(const) for const in code.co_consts))
