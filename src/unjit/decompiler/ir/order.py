"""The order in which Python evaluates the parts of an expression or statement."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from unjit.decompiler.ir.nodes import ATOMS, Accumulate, Temp
from unjit.decompiler.ir.parts import FIELDS_OF

# Nodes whose evaluation, parts aside, does nothing that could be seen from outside.
_SILENT = (ast.Tuple, ast.List, ast.Starred, ast.Slice, ast.keyword, ast.Expr, ast.expr_context, ast.operator)


# A part, the node that it is part of, the field of it, and which item of the list that the field holds, if it does.
Place = tuple[ast.AST, ast.AST, str, int | None]


def put(place: Place, value: ast.expr) -> None:
    """Let `value` be what stands in this place."""
    _, node, field, item = place
    if item is None:
        setattr(node, field, value)
    else:
        getattr(node, field)[item] = value


def first_temps(root: ast.AST) -> list[Place]:
    """Where Temps are read, each unconditionally, before anything in `root` has an effect; in order."""
    places = parts_in_order(root)
    while len(places) == 1 and type(places[0][0]) not in ATOMS:
        root = places[0][0]
        places = parts_in_order(root)
    for place in places:
        if type(place[0]) not in ATOMS:
            return _first_temps_below(root, places)
    return [place for place in places if type(place[0]) is Temp]


def _first_temps_below(root: ast.AST, places: list[Place]) -> list[Place]:
    """The same where several parts have parts themselves."""
    found: list[Place] = []
    stack: list[tuple[ast.AST, Iterator[Place]]] = [(root, iter(places))]
    while stack:
        node, rest = stack[-1]
        for place in rest:
            part = place[0]
            if type(part) is Temp:
                found.append(place)
            elif type(part) not in ATOMS:
                stack.append((part, iter(parts_in_order(part))))
                break
        else:
            stack.pop()
            if not isinstance(node, _SILENT):
                return found
    return found


def parts_in_order(node: ast.AST) -> list[Place]:
    """Sub-nodes that are always evaluated, in order."""
    kind = type(node)
    if kind is ast.Dict:
        return _pairs_in_order(node)  # type: ignore[arg-type]  # a dict then
    order = _EVALUATED.get(kind)
    found: list[Place] = []
    for field in FIELDS_OF[kind] if order is None else order:
        value = getattr(node, field, None)
        if type(value) is list:
            parts = value[:1] if (kind, field) in _FIRST_ONLY else value
            found += [(part, node, field, k) for k, part in enumerate(parts) if isinstance(part, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append((value, node, field, None))
    return found


def _pairs_in_order(node: ast.Dict) -> list[Place]:
    found: list[Place] = []
    for k, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
        found += [] if key is None else [(key, node, "keys", k)]
        found.append((value, node, "values", k))
    return found


# What is always evaluated, in order, where that is not simply all fields. A dict's are its pairs.
_EVALUATED: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Assign: ("value", "targets"),
    ast.BoolOp: ("values",),
    ast.IfExp: ("test",),
    ast.Compare: ("left", "comparators"),
    ast.NamedExpr: ("value",),
    Accumulate: ("key", "value"),
    ast.ListComp: (),
    ast.SetComp: (),
    ast.DictComp: (),
    ast.GeneratorExp: (),
}
# Lists of which only the first is always evaluated.
_FIRST_ONLY = {(ast.BoolOp, "values"), (ast.Compare, "comparators")}


def temps_in(*roots: ast.AST) -> list[Temp]:
    """Every Temp in `roots`, conditional or not, targets included, once for each place, in the order of the fields."""
    found: list[Temp] = []
    work: list[ast.AST] = list(roots[::-1])
    while work:
        node = work.pop()
        if type(node) is Temp:
            found.append(node)
            continue
        fields = FIELDS_OF[type(node)]
        for field in fields[::-1] if len(fields) > 1 else fields:
            value = getattr(node, field, None)
            if type(value) is list:
                work += [item for item in reversed(value) if type(item) not in _LEAVES]
            elif type(value) not in _LEAVES:
                work.append(value)  # type: ignore[arg-type]  # a node then
    return found


def count_temps(roots: Iterable[ast.AST], counts: dict[Temp, int]) -> None:
    """Add to `counts` how many places in `roots` hold each Temp; as `temps_in`, in no order."""
    work = list(roots)
    while work:
        node = work.pop()
        if type(node) is Temp:
            counts[node] = counts.get(node, 0) + 1
            continue
        for field in FIELDS_OF[type(node)]:
            value = getattr(node, field, None)
            if type(value) is list:
                work += [item for item in value if type(item) not in _LEAVES]
            elif type(value) not in _LEAVES:
                work.append(value)  # type: ignore[arg-type]  # a node then


_LEAVES = frozenset({ast.Name, ast.Constant, type(None), str})


def substitute(root: ast.AST, replacement: dict[Temp, ast.expr]) -> None:
    """Put `replacement[t]` in every place in `root` that holds a Temp t of it."""
    stack: list[ast.AST] = [root] if replacement else []
    while stack:
        node = stack.pop()
        for field in FIELDS_OF[type(node)]:
            value = getattr(node, field, None)
            if type(value) is Temp:
                if value in replacement:
                    setattr(node, field, replacement[value])
            elif type(value) is list:
                stack += [item for item in value if type(item) not in _LEAVES and type(item) is not Temp]
                value[:] = [replacement.get(item, item) if type(item) is Temp else item for item in value]
            elif type(value) not in _LEAVES:
                stack.append(value)  # type: ignore[arg-type]  # a node then
