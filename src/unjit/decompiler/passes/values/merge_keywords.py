"""Keyword arguments that are added to a dict which a call then takes: the dict after adding is a value of its own.

*What was done to the code*: `f(**a, **b)` was entered after `**a`, or `a` has a key that was computed before the
entry, so that no display says the dict. *The shape*: DICT_MERGE into anything but a display with names as keys, and
after it, in the same block, the call that takes the dict. *What we produce*: the merged dict as a value that only the
call reads, so that it is said within the call; the instruction reads the callee, which must lie below it. *What we
refuse*: a dict that is read in between.
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.flow.graph import Block, Graph
from unjit.decompiler.ir.tree.constants import is_text
from unjit.decompiler.ir.tree.nodes import Accumulate, Define, Helper, Temp
from unjit.decompiler.ir.tree.notes import copy_mark
from unjit.decompiler.ir.tree.order import temps_in


def run(graph: Graph) -> None:
    if "DICT_MERGE" not in graph.operations:
        return
    for block in graph.reachable():
        if any(map(_is_merge, block.statements)):
            _merge(block)


def _is_merge(statement: ast.stmt) -> bool:
    return isinstance(statement, Accumulate) and statement.kind == "DICT_MERGE"


def _merge(block: Block) -> None:
    """Rewrite the block's merges."""
    for k, statement in enumerate(block.statements):
        if isinstance(statement, Accumulate) and _is_merge(statement) and not _has_names(statement.container):
            after = block.statements[k + 1 :]
            call = _call_taking(statement.container, after)
            if call is not None:
                block.statements[k] = _as_value(statement, call, after)


def _has_names(container: ast.expr) -> bool:
    """Whether this is a display made in the code, with names as its keys."""
    display = container.definition if isinstance(container, Temp) else None
    return isinstance(display, ast.Dict) and all(map(is_text, display.keys))


def _call_taking(container: ast.expr, after: list[ast.stmt]) -> ast.keyword | None:
    """The `**container` of the call that comes first among the readers of `container`."""
    for statement in after:
        call = statement.value if isinstance(statement, Define) else None
        if isinstance(call, ast.Call) and len(call.keywords) == 1 and _same(call.keywords[0].value, container):
            return call.keywords[0]
        if isinstance(statement, Accumulate) and _same(statement.container, container):
            continue
        if isinstance(container, Temp) and container in temps_in(statement):
            return None
    return None


def _same(one: ast.expr, other: ast.expr) -> bool:
    return one is other or (isinstance(one, ast.Name) and isinstance(other, ast.Name) and one.id == other.id)


def _as_value(merge: Accumulate, taken: ast.keyword, after: list[ast.stmt]) -> Define:
    """The merge as the value that the call takes, and that later merges add to."""
    value = Helper(merge.kind, [merge.container, merge.value])
    temp = Temp()
    temp.definition = value
    for node in (value, temp):
        copy_mark(merge, node)
    for statement in after:
        if isinstance(statement, Accumulate) and _same(statement.container, merge.container):
            statement.container = temp
    taken.value = temp
    made = Define(temp, value)
    copy_mark(merge, made)
    return made
