"""The order in which Python evaluates the parts of an expression or statement."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from unjit.decompiler.ir.nodes import ATOMS, Accumulate, Temp

# Nodes whose evaluation, parts aside, does nothing that could be seen from outside.
_SILENT = (ast.Tuple, ast.List, ast.Starred, ast.Slice, ast.keyword, ast.Expr, ast.expr_context, ast.operator)
_TOKENS = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)


class Slot(NamedTuple):
    """A place in a node that holds a Temp."""

    parent: ast.AST
    field: str
    place: int | None  # in the list that the field holds

    @property
    def temp(self) -> Temp:
        value = getattr(self.parent, self.field)
        found = value if self.place is None else value[self.place]
        assert isinstance(found, Temp)
        return found

    def put(self, value: ast.expr) -> None:
        if self.place is None:
            setattr(self.parent, self.field, value)
        else:
            getattr(self.parent, self.field)[self.place] = value


def first_slots(root: ast.AST) -> list[Slot]:
    """The Temps that are read, each unconditionally, before anything in `root` has an effect; in order."""
    slots: list[Slot] = []
    stack: list[tuple[ast.AST, Iterator[tuple[ast.AST, Slot]]]] = [(root, _parts(root))]
    while stack:
        node, rest = stack[-1]
        part = next(rest, None)
        if part is None:
            stack.pop()
            if not isinstance(node, _SILENT):
                return slots
        elif isinstance(part[0], Temp):
            slots.append(part[1])
        elif not isinstance(part[0], ATOMS):
            stack.append((part[0], _parts(part[0])))
    return slots


def _parts(node: ast.AST) -> Iterator[tuple[ast.AST, Slot]]:
    """Sub-nodes that are always evaluated, in order."""
    for field, index in _places(node):
        value: Any = getattr(node, field, None)
        part = value if index is None else value[index]
        if isinstance(part, ast.AST) and not isinstance(part, _TOKENS):
            yield part, Slot(node, field, index)


def _places(node: ast.AST) -> Iterator[tuple[str, int | None]]:
    """Fields, and places in lists, in the order of evaluation."""
    order = _EVALUATED.get(type(node))
    for field in node._fields if order is None else order:
        name = field.removesuffix("[0]")
        if field == _PAIRS:
            assert isinstance(node, ast.Dict)
            yield from ((name, k) for k in range(len(node.keys)) for name in ("keys", "values"))
        elif name != field:
            yield name, 0
        elif isinstance(value := getattr(node, field, None), list):
            yield from ((field, k) for k in range(len(value)))
        else:
            yield field, None


_PAIRS = "keys and values"
# What is always evaluated, in order, where that is not simply all fields; `x[0]` is the first of a list only.
_EVALUATED: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Assign: ("value", "targets"),
    ast.Dict: (_PAIRS,),
    ast.BoolOp: ("values[0]",),
    ast.IfExp: ("test",),
    ast.Compare: ("left", "comparators[0]"),
    ast.NamedExpr: ("value",),
    Accumulate: ("key", "value"),
    ast.ListComp: (),
    ast.SetComp: (),
    ast.DictComp: (),
    ast.GeneratorExp: (),
}


def temps_in(root: ast.AST) -> list[Temp]:
    """Every Temp in `root`, conditional or not, targets included, once for each place, in the order of the fields."""
    found: list[Temp] = []
    work: list[object] = [root]
    while work:
        node = work.pop()
        if isinstance(node, list):
            work += reversed(node)
        elif isinstance(node, Temp):
            found.append(node)
        elif isinstance(node, ast.AST) and node._fields and not isinstance(node, ast.Constant | ast.Name):
            attributes = node.__dict__
            work += [attributes[field] for field in reversed(node._fields) if field in attributes]
    return found


def substitute(root: ast.AST, replacement: dict[Temp, ast.expr]) -> None:
    """Put `replacement[t]` in every place in `root` that holds a Temp t of it."""
    stack: list[ast.AST] = [root]
    while stack:
        node = stack.pop()
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, Temp):
                if value in replacement:
                    setattr(node, field, replacement[value])
            elif isinstance(value, ast.AST):
                stack.append(value)
            elif isinstance(value, list):
                for k, item in enumerate(value):
                    if isinstance(item, Temp):
                        value[k] = replacement.get(item, item)
                    elif isinstance(item, ast.AST):
                        stack.append(item)
