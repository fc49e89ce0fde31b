"""Annotations that are made when they are asked for (3.14): from the function that the compiler made for them."""

from __future__ import annotations

import ast
from types import CodeType

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir import nodes
from unjit.decompiler.ir.suites import Suite
from unjit.decompiler.render.lower import Lowering

Annotations = dict[object, ast.expr]


def annotations_of_header(code: CodeType, around: Lowering) -> Annotations:
    """Name -> annotation, of the code that makes those of a function: it refuses formats, then returns a dict."""
    body = without_refusal(around.nested.hidden_statements(code))
    made = body[0].value if body and isinstance(body[0], ast.Return) else None
    if not isinstance(made, ast.Dict):
        raise CannotExpress("annotations are made in a way that no function's header says")
    inside = Lowering(around.names, around.nested, code)
    pairs = zip(made.keys, made.values, strict=True)
    found: Annotations = {key.value: inside.visit(value) for key, value in pairs if isinstance(key, ast.Constant)}
    if inside.hoisted:
        raise CannotExpress("an annotation contains a function that no expression can hold")
    return found


def without_refusal(body: Suite) -> Suite:
    """What follows `if format > 2: raise NotImplementedError`, with which every such function starts."""
    first = body[0] if body else None
    raised = first.body[0] if isinstance(first, ast.If) and len(first.body) == 1 else None
    if not (isinstance(raised, ast.Raise) and isinstance(raised.exc, nodes.NotImplementedErrorRef)):
        raise CannotExpress("a function that makes annotations does not start by refusing formats")
    return body[1:]
