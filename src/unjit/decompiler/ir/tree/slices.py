"""Deep expressions a slice at a time: what recurses along one then needs no more of Python's stack than a slice.

A chain of a thousand calls is one expression a thousand deep, which the compiler takes and a recursive visitor of ours
does not. Whoever visits the deepest slice first, and leaves in its place what came of it, goes no deeper than that.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NamedTuple

from unjit.decompiler.ir.tree.fields import FIELDS_OF

SLICE = 12  # levels; each takes a handful of frames


class Place(NamedTuple):
    """A place as `ir.tree.order` has them, with names for its parts."""

    node: ast.AST
    parent: ast.AST
    field: str
    item: int | None


def places(
    root: ast.AST, may_be_cut: Callable[[Place], bool], not_within: tuple[type[ast.AST], ...] = ()
) -> list[Place]:
    """Where the slices below `root` begin, the deepest first: each a slice below another, or more where it may not be.

    Statements below `root` are left out, and what is within nodes of the classes `not_within`.
    """
    found: list[Place] = []
    work = [(root, 0)]
    while work:
        node, depth = work.pop()
        for place in () if isinstance(node, not_within) else _below(node):
            cuts = depth + 1 >= SLICE and may_be_cut(place)
            if cuts:
                found.append(place)
            work.append((place.node, 0 if cuts else depth + 1))
    return found[::-1]


def _below(parent: ast.AST) -> list[Place]:
    below = []
    for field in FIELDS_OF[type(parent)]:
        value = getattr(parent, field, None)
        parts = [*enumerate(value)] if type(value) is list else [(None, value)]
        below += [Place(part, parent, field, k) for k, part in parts if not isinstance(part, ast.stmt | None | str)]
    return below
