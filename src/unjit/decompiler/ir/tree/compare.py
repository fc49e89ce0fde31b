"""Whether two expressions are written alike."""

from __future__ import annotations

import ast
import operator

from unjit.decompiler.ir.tree.nodes import CodeConst, HandledException, Helper, Inlined, MakeFunction, ObjectConst, Temp


def same_expression(a: ast.AST, b: ast.AST) -> bool:
    """The same operations on the same names, constants and Temps; load and store contexts do not count."""
    work: list[tuple[object, object]] = [(a, b)]
    while work:
        x, y = work.pop()
        if x is y:
            continue
        if type(x) is not type(y) or isinstance(x, Temp | HandledException):
            return False
        if isinstance(x, ast.AST) and isinstance(y, ast.AST):
            if isinstance(x, _WITH_MORE) and not _same_leaf(x, y):
                return False
            fields = [f for f in x._fields if f not in ("ctx", "kind") and not isinstance(x, ast.Constant)]
            work += [(getattr(x, f, None), getattr(y, f, None)) for f in fields]
        elif isinstance(x, list) and isinstance(y, list):
            if len(x) != len(y):
                return False
            work += zip(x, y, strict=True)
        elif x != y:
            return False
    return True


# Nodes that differ in more than their fields tell.
_WITH_MORE = (ast.Constant, ObjectConst, CodeConst, MakeFunction, Helper, Inlined)
_WRITTEN = operator.attrgetter("op", "arg", "value", "target", "line")  # of an instruction, wherever it stands


def _same_leaf(x: ast.AST, y: ast.AST) -> bool:
    if isinstance(x, ast.Constant) and isinstance(y, ast.Constant):
        return type(x.value) is type(y.value) and repr(x.value) == repr(y.value)
    if isinstance(x, ObjectConst) and isinstance(y, ObjectConst):
        return x.value is y.value
    if isinstance(x, CodeConst | MakeFunction) and isinstance(y, CodeConst | MakeFunction):
        return x.code is y.code  # what was written twice, was compiled twice
    if isinstance(x, Inlined) and isinstance(y, Inlined):
        return x.cells == y.cells and [*map(_WRITTEN, x.instrs)] == [*map(_WRITTEN, y.instrs)]
    return isinstance(x, Helper) and isinstance(y, Helper) and x.name == y.name
