"""Attributes of `self` that a class notes although no code assigns them: what stood behind a `return` (3.13 on).

*What the compiler did*: while it compiled the methods of a class it noted each attribute that they assign to `self`; it
took out later what nothing comes to. *What we produce*: the same assignments where nothing comes to them. *What we
refuse*: a class without methods, which has no place for them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType

from unjit.bytecode import decode
from unjit.bytecode import versions as v
from unjit.decompiler.ir.suites import Suite

_NOTED = "__static_attributes__"
_Method = ast.FunctionDef | ast.AsyncFunctionDef


def with_static_attributes(code: CodeType, body: Suite) -> Suite:
    """The body of a class, in one of whose methods the attributes that are missing are assigned where nothing comes."""
    methods = [statement for statement in body if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)]
    if not v.PY313 or not methods:
        return body
    missing = sorted(_noted(code) - {name for statement in body for name in _assigned(statement)})
    if missing:
        method = max(methods, key=_ends_by_leaving)
        targets: list[ast.expr] = [ast.Attribute(ast.Name("self"), name, ast.Store()) for name in missing]
        method.body.append(ast.If(ast.Constant(False), [ast.Assign(targets, ast.Constant(None))], []))
    return body


def _noted(code: CodeType) -> set[str]:
    before = None
    for instr in decode(code):
        if (
            instr.op == "STORE_NAME"
            and instr.value == _NOTED
            and before is not None
            and isinstance(before.value, tuple)
        ):
            return set(before.value)
        before = instr
    return set()


def _assigned(node: ast.AST) -> Iterator[str]:
    """The attributes of `self` that are assigned in functions, but for those of a class within."""
    work: list[ast.AST] = [node] if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else []
    while work:
        one = work.pop()
        work += (part for part in ast.iter_child_nodes(one) if not isinstance(part, ast.ClassDef))
        if isinstance(one, ast.AugAssign):
            work.remove(one.target)
        if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store) and _is_self(one.value):
            yield one.attr


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _ends_by_leaving(method: _Method) -> bool:
    """Whether nothing comes to what stands behind its last statement: then not even a line is left of it."""
    return isinstance(method.body[-1], ast.Return | ast.Raise)
