"""An augmented operator whose result goes elsewhere than to its operand's place, in a variable of its own.

*What was done*: generated code did so, or code was entered between an operand and the operator. *The shape*: such an
operator as the value of a statement, before anything else of it is evaluated. *What we produce*: the operand in a
variable, an augmented assignment to that, and the statement, which reads it. *What we refuse*: an operator within
another expression.
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.tree.nodes import Define, Inplace, Temp
from unjit.decompiler.ir.tree.notes import copy_mark
from unjit.decompiler.ir.tree.suites import Suite, rewrite_suites

_WITH_VALUE_FIRST = (ast.Assign, ast.Return, ast.Expr, Define)


def run(body: Suite, _graph: Graph) -> Suite:
    return rewrite_suites(body, _split)


def _split(suite: Suite) -> Suite:
    done: Suite = []
    for statement in suite:
        value = statement.value if isinstance(statement, _WITH_VALUE_FIRST) else None
        if isinstance(statement, _WITH_VALUE_FIRST) and isinstance(value, Inplace):
            statement.value = Temp()
            augmented = ast.AugAssign(statement.value, value.op, value.right)  # type: ignore[arg-type]  # it gets a name
            copy_mark(value, augmented)
            done += [ast.Assign([statement.value], value.left), augmented]
        done.append(statement)
    return done
