"""What a definition has that its code by itself has not: whoever makes the function or class has it."""

from __future__ import annotations

import ast
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


def take_off_header(node: Definition) -> list[str]:
    """Leave of a definition what its code knows; returns in words what was taken off."""
    taken = []
    for words, fields in (
        ("type parameters", ("type_params",)),
        ("decorators", ("decorator_list",)),
        ("bases", ("bases", "keywords")),
    ):
        if any(getattr(node, field, None) for field in fields):
            taken.append(words)
            for field in fields:
                setattr(node, field, [])
    if not isinstance(node, ast.ClassDef):
        taken += _take_off_defaults(node.args)
        taken += _take_off_annotations(node)
    return taken


def _take_off_defaults(arguments: ast.arguments) -> list[str]:
    if not (arguments.defaults or any(arguments.kw_defaults)):
        return []
    arguments.defaults, arguments.kw_defaults = [], [None for _ in arguments.kwonlyargs]
    return ["default values"]


def _take_off_annotations(function: Function | ast.Lambda) -> list[str]:
    annotated: list[tuple[Any, str]] = [(known, "annotation") for known in _arguments(function.args)]
    annotated += [(function, "returns")] if isinstance(function, Function) else []
    if not any(getattr(node, field) for node, field in annotated):
        return []
    for node, field in annotated:
        setattr(node, field, None)
    return ["annotations"]


def _arguments(of: ast.arguments) -> list[ast.arg]:
    others = [argument for argument in (of.vararg, of.kwarg) if argument is not None]
    return [*of.posonlyargs, *of.args, *of.kwonlyargs, *others]
