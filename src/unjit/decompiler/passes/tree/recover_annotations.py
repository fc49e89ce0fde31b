"""`x: T = v` in a class body or module, from the store into `__annotations__` after the assignment.

*What the compiler did*: it evaluated the value and stored it, then evaluated the annotation and put it into the
namespace's dict of annotations. *What we produce*: one annotated assignment. *What we refuse*: a store of another
variable in front; the annotation then stands without a value.
"""

from __future__ import annotations

import ast
import inspect
import keyword

from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.tree.notes import copy_mark
from unjit.decompiler.ir.tree.suites import rewrite_suites


def run(body: list[ast.stmt], graph: Graph) -> list[ast.stmt]:
    in_function = graph.code.co_flags & inspect.CO_OPTIMIZED
    return body if in_function else rewrite_suites(body, _suite)


def _suite(statements: list[ast.stmt]) -> list[ast.stmt]:
    done: list[ast.stmt] = []
    for statement in statements:
        name = _annotated(statement)
        if name is None:
            done.append(statement)
            continue
        assert isinstance(statement, ast.Assign)
        value = _value_stored_before(done, name)
        annotated = ast.AnnAssign(ast.Name(name, ast.Store()), statement.value, value, 1)
        copy_mark(statement, annotated)
        if value is not None:
            done.pop()
        done.append(annotated)
    return done


def _annotated(statement: ast.stmt) -> str | None:
    """The name whose annotation the statement stores."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Subscript):
        return None
    place = statement.targets[0]
    if not isinstance(place.value, ast.Name) or place.value.id != "__annotations__":
        return None
    key = place.slice.value if isinstance(place.slice, ast.Constant) else None
    return key if isinstance(key, str) and key.isidentifier() and not keyword.iskeyword(key) else None


def _value_stored_before(done: list[ast.stmt], name: str) -> ast.expr | None:
    last = done[-1] if done else None
    if isinstance(last, ast.Assign) and len(last.targets) == 1:
        target = last.targets[0]
        if isinstance(target, ast.Name) and target.id == name:
            return last.value
    return None
