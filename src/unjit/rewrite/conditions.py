"""Conditions over what a frame holds: an expression, or a function whose parameters name what it asks for."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from unjit.bytecode import global_names
from unjit.bytecode.functions.frame import argument_names
from unjit.errors import UnjitError
from unjit.observe.targets.resolving import resolve
from unjit.torch_private.cache.targets import is_compiled
from unjit.torch_private.installing.asking import Decide

_LATE = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)
_ALWAYS_HOLDS: dict[type[ast.expr], str] = {
    ast.Tuple: "a tuple, which always holds: join its parts with `and`",
    ast.Lambda: "a function, which always holds: give its body, or pass the function itself",
    ast.GeneratorExp: "a generator, which always holds: put `any` or `all` around it",
}
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
    """The names that a condition may use: arguments and free variables."""
    return (*argument_names(owner), *owner.co_freevars)


def _of_expression(text: str, owner: CodeType, scope: dict[str, Any]) -> tuple[Decide, str]:
    shown = " ".join(text.split())
    _refuse_what_is_no_question(text, shown)
    named = {node.id for node in ast.walk(ast.parse(f"(\n{text}\n)", mode="eval")) if isinstance(node, ast.Name)}
    used = [name for name in frame_names(owner) if name in named]
    try:  # on lines of its own: its strings stay as they are, and a comment ends with its line
        function: FunctionType = eval(f"lambda {', '.join(used)}: (\n{text}\n)", scope)  # noqa: S307  (the caller's own)
    except SyntaxError as error:
        raise UnjitError(f"the condition `{shown}` does not compile: {error.msg}") from None
    _refuse_late_answers(function, shown)
    unknown = sorted(global_names(function.__code__) - set(scope) - set(vars(builtins)))
    if unknown:
        raise UnjitError(
            f"the condition `{shown}` names {', '.join(unknown)}, which is neither an argument nor a free variable of "
            f"{owner.co_name} ({', '.join(frame_names(owner))}) nor one of its globals"
        )
    _refuse_calls_of_the_owner(function, owner, shown)
    return _passing(function, used), shown


def _refuse_what_is_no_question(text: str, shown: str) -> None:
    try:
        body = ast.parse(f"(\n{text}\n)", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else error  # its line is not one of the caller's
        raise UnjitError(f"the condition `{shown}` is not an expression: {reason}") from None
    always = _ALWAYS_HOLDS.get(type(body))
    if always is not None and not (isinstance(body, ast.Tuple) and not body.elts):
        raise UnjitError(f"the condition `{shown}` is {always}")
    if body.lineno == 1:
        raise UnjitError(f"the condition `{shown}` is not an expression: invalid syntax")


def _refuse_late_answers(function: object, shown: str) -> None:
    """What a generator or coroutine gives at a call is an object, which always holds, whatever it would answer."""
    if any(asks(function) for asks in _LATE):
        raise UnjitError(f"the condition `{shown}` is a generator or coroutine, which answers too late: have it return")


def _refuse_calls_of_the_owner(function: object, owner: CodeType, shown: str) -> None:
    """torch (2.13) holds a lock while it looks through the entries of a function: a call of it then waits for ever."""
    if not isinstance(function, FunctionType):
        return
    known = inspect.getclosurevars(function)
    for name, value in {**known.globals, **known.nonlocals}.items():
        if is_compiled(value) and resolve(value).code is owner:
            raise UnjitError(
                f"the condition `{shown}` would call {name}, among whose entries Dynamo is choosing when it is asked: "
                "torch would wait for ever; ask about something else"
            )


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
    shown = f"{name}({', '.join(used)})"
    _refuse_late_answers(function, shown)
    _refuse_calls_of_the_owner(function, owner, shown)
    return _passing(function, used), shown


def _passing(function: Callable[..., object], used: list[str]) -> Decide:
    return lambda frame: function(**{name: frame[name] for name in used})
