"""Attributes of `self` that a class notes though its code assigns them nowhere: the assignments were dead (3.13 on).

*What the compiler did*: while it compiled the methods of a class it noted each attribute that they assign to `self`; it
took out dead code later. *What we produce*: the same assignments, dead again. *What we refuse*: a class without
methods, which has no place for them.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from types import CodeType

from unjit.bytecode import decode
from unjit.bytecode import versions as v
from unjit.decompiler.ir.tree.nodes import Function
from unjit.decompiler.ir.tree.suites import Suite
from unjit.decompiler.render.definitions.mangling import mangled, unmangled

_NOTED = "__static_attributes__"


def with_static_attributes(code: CodeType, body: Suite) -> Suite:
    """The body of a class; one of its methods assigns the missing attributes, in dead code."""
    methods = [statement for statement in body if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)]
    if not v.PY313 or not methods:
        return body
    noted = {mangled(name, code.co_name) for name in _noted(code)}  # as they are in the code: they are noted as written
    missing = sorted(noted.difference(_assigned(body)))
    if missing:
        method = max(methods, key=_ends_by_leaving)
        targets: list[ast.expr] = [ast.Attribute(ast.Name("self"), name, ast.Store()) for name in missing]
        method.body.append(ast.If(ast.Constant(False), [ast.Assign(targets, ast.Constant(None))], []))
    return body


def spelled_out(code: CodeType) -> set[str]:
    """Private names that methods write in compiled form, `self._C__x`: the class notes names as they are written."""
    return {name for name in _noted(code) if unmangled(name, code.co_name) != name} if v.PY313 else set()


def _noted(code: CodeType) -> set[str]:
    for value, store in itertools.pairwise(decode(code)):
        if store.op == "STORE_NAME" and store.value == _NOTED and isinstance(value.value, tuple):
            return set(value.value)
    return set()


def _assigned(body: Suite) -> Iterator[str]:
    """The attributes of `self` that functions of a class assign, without those of classes within it."""
    work: list[tuple[ast.AST, bool]] = [(statement, False) for statement in body]  # and whether it is in a function
    while work:
        node, inside = work.pop()
        if isinstance(node, ast.ClassDef):
            continue
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        passed = node.target if isinstance(node, ast.AugAssign) else None  # which is not noted
        work += ((part, inside) for part in ast.iter_child_nodes(node) if part is not passed)
        if inside and isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_self(node.value):
            yield node.attr


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _ends_by_leaving(method: Function) -> bool:
    """Whether its last statement leaves it: of code after that, not even a line is left."""
    return isinstance(method.body[-1], ast.Return | ast.Raise)
