"""Drop block parameters that get the same value on every path.

The lifter gives a block with several predecessors a parameter for each value on the stack. Most are the same value
whichever way control came (an iterator under a loop, an exit function under a with). What remains is a real choice:
the value of a conditional expression, also one between equal values, `x if a else x`, which each arm loads for itself.
"""

from __future__ import annotations

import ast

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.flow.graph import Block, Graph
from unjit.decompiler.ir.flow.locals import Locals
from unjit.decompiler.ir.tree.nodes import CellRef, ObjectConst, Temp
from unjit.decompiler.ir.tree.notes import offset_of
from unjit.decompiler.ir.tree.uses import dead_params, incoming_values, replace_temps


def run(graph: Graph) -> None:
    if any(block.params for block in graph.reachable()):
        _merge(graph, incoming_values(graph))


def _merge(graph: Graph, incoming: dict[Temp, list[ast.expr]]) -> None:
    locals_ = Locals(graph)
    replacement: dict[Temp, ast.expr] = {}
    changed = True
    while changed:
        changed = False
        for param, args in incoming.items():
            if param not in replacement:
                value = _only_value(param, args, replacement, locals_)
                if value is not None:
                    replacement[param] = value
                    changed = True
        changed = changed or _take_groups(incoming, replacement, locals_)
    for param in list(replacement):
        replacement[param] = param.definition = _resolve(param, replacement)
    _drop(graph, replacement)
    replace_temps(graph, replacement)
    if any(block.params for block in graph.reachable()):
        _drop(graph, dict.fromkeys(dead_params(graph), ast.Constant(None)))
    _require_plain_handlers(graph)


def _only_value(
    param: Temp,
    args: list[ast.expr],
    replacement: dict[Temp, ast.expr],
    locals_: Locals,
) -> ast.expr | None:
    """The value that `param` has on every path, as far as `replacement` knows by now; None if there are several."""
    resolved = [_resolve(arg, replacement) for arg in args]
    others = [arg for arg in resolved if arg is not param]
    if not others or not all(_same(others[0], arg) for arg in others[1:]):
        return None
    first = others[0]
    return None if isinstance(first, ast.Name) and locals_.may_change(first.id, param) else first


def _take_groups(incoming: dict[Temp, list[ast.expr]], replacement: dict[Temp, ast.expr], locals_: Locals) -> bool:
    """Whether there are parameters that hand a value to each other, and get one from elsewhere, which they all are.

    So it is for what lies below a loop that is entered in its midst: none of its blocks is the first to have it.
    """
    left = {p: [_resolve(arg, replacement) for arg in args] for p, args in incoming.items() if p not in replacement}
    found = False
    for group in _groups(left):
        given = [arg for param in group for arg in left[param] if arg not in group]
        if not given or not all(_same(given[0], arg) for arg in given[1:]):
            continue
        first = given[0]
        if not (isinstance(first, ast.Name) and any(locals_.may_change(first.id, param) for param in group)):
            replacement.update(dict.fromkeys(group, first))
            found = True
    return found


def _groups(args: dict[Temp, list[ast.expr]]) -> list[set[Temp]]:
    """The parameters, those together of which one hands its value to the other."""
    beside: dict[Temp, list[Temp]] = {param: [] for param in args}
    for param, given in args.items():
        for arg in given:
            if isinstance(arg, Temp) and arg in args:
                beside[param].append(arg)
                beside[arg].append(param)
    groups: list[set[Temp]] = []
    seen: set[Temp] = set()
    for param in args:
        if beside[param] and param not in seen:
            groups.append(_reached(param, beside))
            seen |= groups[-1]
    return groups


def _reached(param: Temp, beside: dict[Temp, list[Temp]]) -> set[Temp]:
    found, work = {param}, [param]
    while work:
        new = [other for other in beside[work.pop()] if other not in found]
        found.update(new)
        work += new
    return found


def _resolve(value: ast.expr, replacement: dict[Temp, ast.expr]) -> ast.expr:
    while isinstance(value, Temp) and value in replacement:
        value = replacement[value]
    return value


def _same(a: ast.expr, b: ast.expr) -> bool:
    if a is b:
        return True
    if type(a) is not type(b) or offset_of(a) != offset_of(b):
        return False
    if isinstance(a, ast.Name | CellRef) and isinstance(b, ast.Name | CellRef):
        return a.id == b.id
    if isinstance(a, ObjectConst) and isinstance(b, ObjectConst):
        return a.value is b.value
    if isinstance(a, ast.Constant) and isinstance(b, ast.Constant):
        return type(a.value) is type(b.value) and repr(a.value) == repr(b.value)
    return False


def _drop(graph: Graph, replacement: dict[Temp, ast.expr]) -> None:
    """Take the parameters that are replaced off their blocks, and what they were given off the edges."""
    kept: dict[Block, list[int]] = {}
    for block in graph.reachable():
        if block not in graph.handled and not replacement.keys().isdisjoint(block.params):
            kept[block] = [k for k, param in enumerate(block.params) if param not in replacement]
    for _, edge in graph.edges():
        if edge.target in kept:
            edge.args = [edge.args[k] for k in kept[edge.target]]
    for handler, rows in graph.handled.items():
        left = [k for k, param in enumerate(handler.params) if param not in replacement]
        handler.params = [handler.params[k] for k in left]
        rows[:] = [[row[k] for k in left] for row in rows]
    for block, indices in kept.items():
        block.params = [block.params[k] for k in indices]


def _require_plain_handlers(graph: Graph) -> None:
    """Raises CannotExpress for a handler that is entered with different stacks: no statement hands it a value."""
    for handler in graph.handled:
        if handler.params:
            raise CannotExpress(f"the handler at offset {handler.offset} finds different values below it")
