"""The order in which Python evaluates the parts of an expression or statement."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from unjit.decompiler.ir.tree.fields import FIELDS_OF, HELD_BY
from unjit.decompiler.ir.tree.nodes import ATOMS, Accumulate, Define, Temp

# Nodes whose evaluation, parts aside, does nothing that could be seen from outside.
_SILENT = (ast.Tuple, ast.List, ast.Starred, ast.Slice, ast.keyword, ast.Expr, ast.expr_context, ast.operator)


# A part, the node that it is part of, the field of it, and which item of the list that the field holds, if it does.
Place = tuple[ast.AST, ast.AST, str, int | None]


def put(place: Place, value: ast.AST) -> None:
    """Let `value` be what stands in this place."""
    _, node, field, item = place
    if item is None:
        setattr(node, field, value)
    else:
        getattr(node, field)[item] = value


def first_temps(root: ast.AST) -> list[Place]:
    """Where Temps are read, each unconditionally, before anything in `root` has an effect; in order."""
    if type(root) is Define:
        if type(root.value) in _LEAVES:
            return []
        if type(root.value) not in ATOMS:  # the rule
            root = root.value
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
    in_pieces = _IN_PIECES.get(kind)
    if in_pieces is not None:
        return in_pieces(node)
    found: list[Place] = []
    for field in _EVALUATED[kind]:
        value = getattr(node, field, None)
        if type(value) is list:
            for k, part in enumerate(value):
                if isinstance(part, ast.AST):
                    found.append((part, node, field, k))
        elif isinstance(value, ast.AST):
            found.append((value, node, field, None))
    return found


# Longer displays are filled one by one: what has to be hashed is, before the next part is evaluated.
LONGEST_DICT, _LONGEST_SET = 15, 30


def _pairs_in_order(node: ast.Dict) -> list[Place]:
    """Those of a long dict as far as nothing but constants was hashed before."""
    found: list[Place] = []
    is_long = len(node.values) > LONGEST_DICT
    for k, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
        found += [] if key is None else [(key, node, "keys", k)]
        found.append((value, node, "values", k))
        if is_long and not _is_constant(key):
            break
    return found


def _elements_in_order(node: ast.Set) -> list[Place]:
    """Those of a long set as far as nothing but constants was hashed before."""
    is_long = len(node.elts) > _LONGEST_SET
    hashed = (k for k, element in enumerate(node.elts) if is_long and not _is_constant(element))
    end = next(hashed, len(node.elts)) + 1
    return [(element, node, "elts", k) for k, element in enumerate(node.elts[:end])]


def _is_constant(value: ast.expr | None) -> bool:
    return type(value) is ast.Constant or (type(value) is Temp and type(value.definition) is ast.Constant)


def _first_value(node: ast.BoolOp) -> list[Place]:
    return [(node.values[0], node, "values", 0)]


def _first_two(node: ast.Compare) -> list[Place]:
    return [(node.left, node, "left", None), (node.comparators[0], node, "comparators", 0)]


# Nodes of which not all that lists hold is always evaluated, or not one list after the other.
_IN_PIECES: dict[type[ast.AST], Callable[[Any], list[Place]]] = {
    ast.Dict: _pairs_in_order,
    ast.Set: _elements_in_order,
    ast.BoolOp: _first_value,
    ast.Compare: _first_two,
}


class _Evaluated(dict[type, tuple[str, ...]]):
    """For each class of the other nodes the fields that are always evaluated, in order: all, but for some."""

    def __missing__(self, kind: type) -> tuple[str, ...]:
        found = self[kind] = FIELDS_OF[kind]
        return found


_EVALUATED = _Evaluated(
    {
        ast.Assign: ("value", "targets"),
        ast.IfExp: ("test",),
        ast.NamedExpr: ("value",),
        Accumulate: ("key", "value"),
        ast.ListComp: (),
        ast.SetComp: (),
        ast.DictComp: (),
        ast.GeneratorExp: (),
    }
)


def temps_in(*roots: ast.AST) -> list[Temp]:
    """Every Temp in `roots`, conditional or not, targets included, once for each place, in the order of the fields."""
    found: list[Temp] = []
    work: list[Any] = list(roots[::-1])
    while work:
        node = work.pop()
        kind = type(node)
        if kind is Temp:
            found.append(node)
        elif kind is list:
            work += node[::-1]
        elif kind not in _LEAVES:
            work += HELD_BY[kind](node)[::-1]
    return found


def count_temps(roots: Iterable[ast.AST], counts: dict[Temp, int]) -> None:
    """Add to `counts` how many places in `roots` hold each Temp; as `temps_in`, in no order."""
    found: list[Any] = list(roots)
    for node in found:  # the list grows while it is walked
        kind = type(node)
        if kind in _LEAVES:
            continue
        if kind is Temp:
            counts[node] = counts.get(node, 0) + 1
        else:
            found += node if kind is list else HELD_BY[kind](node)


_LEAVES = frozenset({ast.Name, ast.Constant, type(None), str})


def substitute(root: ast.AST, replacement: dict[Temp, ast.expr]) -> None:
    """Put `replacement[t]` in every place in `root` that holds a Temp t of it."""
    found: list[Any] = [root] if replacement else []
    for node in found:  # the list grows while it is walked
        for k, value in enumerate(HELD_BY[type(node)](node)):
            kind = type(value)
            if kind in _LEAVES:
                continue
            if kind is Temp:
                if value in replacement:
                    setattr(node, FIELDS_OF[type(node)][k], replacement[value])
            elif kind is list:
                found += [item for item in value if type(item) not in _LEAVES and type(item) is not Temp]
                value[:] = [replacement.get(item, item) if type(item) is Temp else item for item in value]
            else:
                found.append(value)
