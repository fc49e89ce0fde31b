"""Conditions over what a frame holds: an expression, or a function whose parameters name what it asks for."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from unjit.bytecode import global_names
from unjit.bytecode.frame import argument_names
from unjit.errors import UnjitError
from unjit.torch_private.installing.asking import Decide

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def decided_by(condition: object, owner: CodeType, scope: dict[str, Any]) -> tuple[Decide, str]:
    """The condition as a function of the frame's locals, and its text.

    `owner` is the function whose frame it is asked for, `scope` its globals. Raises UnjitError for what is neither an
    expression nor a function, and for names that are not there.
    """
    if isinstance(condition, str):
        return _of_expression(condition, owner, scope)
    if callable(condition):
        return _of_function(condition, owner)
    raise UnjitError(
        f"a condition is an expression such as 'x.shape[0] >= 5', or a function of arguments; "
        f"{type(condition).__name__} is neither"
    )


def frame_names(owner: CodeType) -> tuple[str, ...]:
    """What can be asked for: arguments and free variables."""
    return (*argument_names(owner), *owner.co_freevars)


def _of_expression(text: str, owner: CodeType, scope: dict[str, Any]) -> tuple[Decide, str]:
    text = " ".join(text.split())
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UnjitError(f"the condition `{text}` is not an expression: {error}") from None
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used = [name for name in frame_names(owner) if name in named]
    function: FunctionType = eval(f"lambda {', '.join(used)}: ({text})", scope)  # noqa: S307  (the caller's own text)
    unknown = sorted(global_names(function.__code__) - set(scope) - set(vars(builtins)))
    if unknown:
        raise UnjitError(
            f"the condition `{text}` names {', '.join(unknown)}, which is neither an argument nor a free variable of "
            f"{owner.co_name} ({', '.join(frame_names(owner))}) nor one of its globals"
        )
    return _passing(function, used), text


def _of_function(function: Callable[..., object], owner: CodeType) -> tuple[Decide, str]:
    name = getattr(function, "__name__", type(function).__name__)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise UnjitError(f"the condition {name} does not tell its parameters; pass a function in Python") from None
    known = frame_names(owner)
    wrong = [p.name for p in parameters if p.kind not in _NAMED or (p.name not in known and p.default is p.empty)]
    if wrong:
        raise UnjitError(
            f"the condition {name} takes {', '.join(wrong)}; its parameters must be named as arguments or free "
            f"variables of {owner.co_name}: {', '.join(known)}"
        )
    used = [parameter.name for parameter in parameters if parameter.name in known]
    return _passing(function, used), f"{name}({', '.join(used)})"


def _passing(function: Callable[..., object], used: list[str]) -> Decide:
    return lambda frame: function(**{name: frame[name] for name in used})
