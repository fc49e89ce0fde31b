"""What the compiler puts into functions that are called on demand (3.14 on): annotations of headers, types, bounds."""

from __future__ import annotations

import ast
from types import CodeType

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree import nodes
from unjit.decompiler.ir.tree.compare import same_expression
from unjit.decompiler.ir.tree.suites import Suite
from unjit.decompiler.render.lowering.lower import Lowering

Annotations = dict[object, ast.expr]


def annotations_of_header(code: CodeType, around: Lowering) -> Annotations:
    """The annotations of a function by name, from the code that makes them: it refuses formats, then returns a dict."""
    made = around.nested.hidden(code, lambda body: _returned(without_refusal(body), {}))
    pairs = zip(made.keys, made.values, strict=True)
    return {key.value: around.visit(nodes.Apart(value, code)) for key, value in pairs if isinstance(key, ast.Constant)}


def header_alone(name: str, annotations: Annotations) -> ast.FunctionDef:
    """A function that does nothing and has these annotations. Raises CannotExpress if none has them in this order."""
    names = [str(key) for key in annotations if key != "return"]
    if list(annotations)[len(names) :] not in ([], ["return"]):
        raise CannotExpress("the annotation of what is returned does not come last")
    args = [ast.arg(key, annotations[key]) for key in names]
    starred = [arg for arg in args if isinstance(arg.annotation, ast.Starred)]
    spec = ast.arguments([], args, None, [], [], None, [])
    if starred:  # only `*args` can have it
        at = args.index(starred[0])
        spec = ast.arguments([], args[:at], args[at], args[at + 1 :], [None] * len(args[at + 1 :]), None, [])
    function = ast.FunctionDef(name, spec, [ast.Pass()], [], annotations.get("return"), None)
    function.type_params = []  # type: ignore[attr-defined]  # 3.12 and later ask for it
    return function


def _returned(body: Suite, known: dict[ast.expr, ast.expr]) -> ast.Dict:
    """The dict that is returned; of one with a conditional annotation the compiler made a copy for each way."""
    for at, statement in enumerate(body):
        if isinstance(statement, nodes.Define):
            known[statement.temp] = statement.value
        elif isinstance(statement, ast.Assign) and (item := _only_item(statement.targets[0])) is not None:
            known[item] = ast.Starred(statement.value, ast.Load())  # *args: *T
        elif isinstance(statement, ast.If):
            ways = (_returned(way, dict(known)) for way in (statement.body, [*statement.orelse, *body[at + 1 :]]))
            return _either(statement.test, *ways)
        elif isinstance(statement, ast.Return) and isinstance(statement.value, ast.Dict):
            made = statement.value
            return ast.Dict(made.keys, [known.get(value, value) for value in made.values])
        else:
            break
    raise CannotExpress("annotations are made in a way that no function's header says")


def _only_item(target: ast.expr) -> ast.expr | None:
    return target.elts[0] if isinstance(target, ast.Tuple) and len(target.elts) == 1 else None


def _either(test: ast.expr, one: ast.Dict, other: ast.Dict) -> ast.Dict:
    values = [_chosen(test, *pair) for pair in zip(one.values, other.values, strict=True)]
    return ast.Dict(one.keys, values)


def _chosen(test: ast.expr, one: ast.expr, other: ast.expr) -> ast.expr:
    if same_expression(one, other):
        return one
    if isinstance(one, ast.Starred) and isinstance(other, ast.Starred):
        return ast.Starred(_chosen(test, one.value, other.value), ast.Load())
    return ast.IfExp(test, one, other)


def without_refusal(body: Suite) -> Suite:
    """The suite after its first statement, which refuses unknown formats. Raises CannotExpress if that does not."""
    if not _refuses_formats(body):
        raise CannotExpress("a function that makes annotations does not start by refusing formats")
    return body[1:]


def _refuses_formats(body: Suite) -> bool:
    first = body[0] if body else None
    raised = first.body[0] if isinstance(first, ast.If) and len(first.body) == 1 else None
    return isinstance(raised, ast.Raise) and isinstance(raised.exc, nodes.NotImplementedErrorRef)
