"""Tests of several parts in the words that were written, which the room between their parts tells.

*What the compiler did*: it made the same jumps of `not (a or b)` and of `not a and not b`; but from Python 3.11 on it
notes columns. *The shape*: a test of `and`, `or` and `not`. *What we produce*: of what means the same by De Morgan's
laws, what is as wide between the parts as they stand apart (`ir/as_written/asked_tests`). *What we refuse*: values that
are no tests, of which these are other instructions.
"""

from __future__ import annotations

import ast

from unjit.bytecode import versions as v
from unjit.decompiler.ir.as_written.asked_tests import as_asked
from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.tree.suites import Suite, statements_in


def run(body: Suite, graph: Graph) -> Suite:
    if not v.PY311 or len(graph.blocks) == 1:
        return body
    for statement in statements_in(body):
        if isinstance(statement, ast.If | ast.While | ast.Assert):
            statement.test = as_asked(statement.test, graph.positions)
    return body
