"""Statements to text: those on one line, and the first line of those with suites."""

from __future__ import annotations

import ast
from collections.abc import Callable

from unjit.decompiler.render.printing.brackets import ATOM, TEST, TUPLE, YIELD, bare_tuple, bare_walrus
from unjit.decompiler.render.printing.expressions import BINARY, arguments_text
from unjit.decompiler.render.printing.writer import Writer


# ---------------------------------------------------------------- on one line
def _expression(writer: Writer, node: ast.Expr) -> str:
    return writer.text(node.value, YIELD)


def _assign(writer: Writer, node: ast.Assign) -> str:
    targets = "".join([f"{writer.text(target, TUPLE)} = " for target in node.targets])
    return targets + writer.text(node.value, bare_tuple(node.value, YIELD))


def _augmented(writer: Writer, node: ast.AugAssign) -> str:
    return f"{writer.text(node.target)} {BINARY[type(node.op)][0]}= {writer.text(node.value, YIELD)}"


def _annotated(writer: Writer, node: ast.AnnAssign) -> str:
    target = writer.text(node.target)
    if isinstance(node.target, ast.Name) and not node.simple:
        target = f"({target})"
    value = "" if node.value is None else f" = {writer.text(node.value, YIELD)}"
    return f"{target}: {writer.text(node.annotation)}{value}"


def _return(writer: Writer, node: ast.Return) -> str:
    return "return" if node.value is None else f"return {writer.text(node.value, bare_tuple(node.value, TEST))}"


def _raise(writer: Writer, node: ast.Raise) -> str:
    if node.exc is None:
        return "raise"
    cause = "" if node.cause is None else f" from {writer.text(node.cause)}"
    return f"raise {writer.text(node.exc)}{cause}"


_LONG = 84  # what is broken at brackets, with some indentation, if there are any


def _delete(writer: Writer, node: ast.Delete) -> str:
    targets = writer.texts(node.targets)
    return f"del ({targets})" if len(targets) > _LONG and len(node.targets) > 1 else f"del {targets}"


def _assert(writer: Writer, node: ast.Assert) -> str:
    message = "" if node.msg is None else f", {writer.text(node.msg)}"
    return f"assert {writer.text(node.test)}{message}"


def _import(_: Writer, node: ast.Import) -> str:
    return f"{_laziness(node)}import {', '.join(map(_alias, node.names))}"


def _import_from(_: Writer, node: ast.ImportFrom) -> str:
    module = "." * (node.level or 0) + (node.module or "")
    return f"{_laziness(node)}from {module} import {', '.join(map(_alias, node.names))}"


def _laziness(node: ast.stmt) -> str:
    return "lazy " if getattr(node, "is_lazy", 0) else ""  # 3.15


def _alias(node: ast.alias) -> str:
    return node.name if node.asname is None else f"{node.name} as {node.asname}"


def _global(_: Writer, node: ast.Global) -> str:
    return f"global {', '.join(node.names)}"


def _nonlocal(_: Writer, node: ast.Nonlocal) -> str:
    return f"nonlocal {', '.join(node.names)}"


SIMPLE: dict[type[ast.stmt], Callable[..., str]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AugAssign: _augmented,
    ast.AnnAssign: _annotated,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Delete: _delete,
    ast.Assert: _assert,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Global: _global,
    ast.Nonlocal: _nonlocal,
    ast.Pass: lambda _, __: "pass",
    ast.Break: lambda _, __: "break",
    ast.Continue: lambda _, __: "continue",
}


# ---------------------------------------------------------------- with a suite
def _while(writer: Writer, node: ast.While) -> str:
    return f"while {writer.text(node.test, bare_walrus(node.test))}:"


def _for(writer: Writer, node: ast.For | ast.AsyncFor) -> str:
    word = "async for" if isinstance(node, ast.AsyncFor) else "for"
    return f"{word} {writer.text(node.target, TUPLE)} in {writer.text(node.iter)}:"


def _with(writer: Writer, node: ast.With | ast.AsyncWith) -> str:
    word = "async with" if isinstance(node, ast.AsyncWith) else "with"
    return f"{word} {', '.join([_item(writer, item) for item in node.items])}:"


def _item(writer: Writer, node: ast.withitem) -> str:
    manager = writer.text(node.context_expr)
    if isinstance(node.context_expr, ast.Tuple):  # its own brackets would be those around several managers
        manager = f"({manager})"
    return manager if node.optional_vars is None else f"{manager} as {writer.text(node.optional_vars)}"


def _function(writer: Writer, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    returns = "" if node.returns is None else f" -> {writer.text(node.returns)}"
    return f"{word} {node.name}{_type_parameters(writer, node)}({arguments_text(writer, node.args)}){returns}:"


def _class(writer: Writer, node: ast.ClassDef) -> str:
    given = writer.texts([*node.bases, *node.keywords])
    return f"class {node.name}{_type_parameters(writer, node)}{f'({given})' if given else ''}:"


def _match(writer: Writer, node: ast.Match) -> str:
    return f"match {writer.text(node.subject, bare_walrus(node.subject))}:"


HEADS: dict[type[ast.stmt], Callable[..., str]] = {
    ast.While: _while,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Match: _match,
}


def case_head(writer: Writer, node: ast.match_case) -> str:
    """The first line of one case of a match statement."""
    guard = "" if node.guard is None else f" if {writer.text(node.guard, bare_walrus(node.guard))}"
    return f"case {writer.text(node.pattern)}{guard}:"


def except_head(writer: Writer, node: ast.ExceptHandler, *, star: bool) -> str:
    """The first line of one clause of a try statement."""
    caught = "" if node.type is None else f" {writer.text(node.type)}"
    named = "" if node.name is None else f" as {node.name}"
    return f"except{'*' if star else ''}{caught}{named}:"


# ---------------------------------------------------------------- type parameters
def _type_parameters(writer: Writer, node: ast.stmt) -> str:
    parameters = getattr(node, "type_params", None)  # 3.12
    return f"[{', '.join([_type_parameter(writer, one) for one in parameters])}]" if parameters else ""


def _type_parameter(writer: Writer, node: ast.AST) -> str:
    stars = {"TypeVarTuple": "*", "ParamSpec": "**"}.get(type(node).__name__, "")
    bound, default = getattr(node, "bound", None), getattr(node, "default_value", None)  # the latter is of 3.13
    shown = stars + node.name  # type: ignore[attr-defined]  # all three kinds have one
    if bound is not None:
        shown += f": {writer.text(bound)}"
    return shown if default is None else f"{shown} = {writer.text(default)}"


def _type_alias(writer: Writer, node: ast.stmt) -> str:
    name, value = node.name, node.value  # type: ignore[attr-defined]  # 3.12
    return f"type {writer.text(name, ATOM)}{_type_parameters(writer, node)} = {writer.text(value)}"


if hasattr(ast, "TypeAlias"):
    SIMPLE[ast.TypeAlias] = _type_alias
