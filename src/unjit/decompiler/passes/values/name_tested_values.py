"""A value that was tested on its way to where it is used, named within the test.

*What the compiler did*: in `(x and y) or z` each part is tested where it is computed, and what is found is left on
the stack. *The shape*: `Define` of such a value, and a branch on it, where no pass could put it in its place: it is
used where others come in as well, as Dynamo's resume functions do in the midst of an expression. *What we produce*:
`if x and (t := y)`, which tests each part once, where `t = x and y` and a branch on `t` would test one twice. *What we
refuse*: values that have no such parts; they are tested after their definition.
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.flow.graph import Branch, Edge, Graph
from unjit.decompiler.ir.tree.nodes import Define, Temp
from unjit.decompiler.ir.tree.order import count_temps


def run(graph: Graph) -> None:
    for block in graph.reachable():
        branch, last = block.terminator, block.statements[-1] if block.statements else None
        if not (isinstance(branch, Branch) and isinstance(last, Define) and isinstance(last.value, ast.BoolOp)):
            continue
        if last.temp is branch.test:
            block.statements.pop()
            _name(last, branch)


def _name(kept: Define, branch: Branch) -> None:
    """Test the value where it is computed, and name those of its parts that are read on the ways out."""
    true, false = (_reads(edge, kept.temp) for edge in (branch.true, branch.false))
    elsewhere = true + false < kept.temp.uses - 1
    branch.test = _named(kept.value, kept.temp, held=true > 0 or elsewhere, failed=false > 0 or elsewhere)


def _reads(edge: Edge, temp: Temp) -> int:
    counts: dict[Temp, int] = {}
    count_temps(edge.args, counts)
    return counts.get(temp, 0)


def _named(value: ast.expr, temp: Temp, *, held: bool, failed: bool) -> ast.expr:
    """The value with a name for each part of it that it may be, where it is read if it `held` or `failed`."""
    if isinstance(value, ast.BoolOp):
        is_and = isinstance(value.op, ast.And)
        *first, last = value.values
        known = [_named(part, temp, held=held and not is_and, failed=failed and is_and) for part in first]
        value.values = [*known, _named(last, temp, held=held, failed=failed)]
        return value
    return ast.NamedExpr(temp, value) if held or failed else value  # type: ignore[arg-type]  # named when it is printed
