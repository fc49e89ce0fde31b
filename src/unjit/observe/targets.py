"""What a user may ask about, resolved to the code object that Dynamo keeps entries for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any

from unjit.errors import BadTarget
from unjit.torch_private.targets import disabled_reason, unwrap_compiled


@dataclass(frozen=True, slots=True)
class Target:
    """The code object behind what was asked for, and the codes of the parts of a module."""

    code: CodeType
    disabled: str | None  # why Dynamo is switched off for it; None if it is not
    parts: tuple[CodeType, ...] = ()  # forwards of submodules, which may have run as functions of their own


def resolve(target: Any) -> Target:
    """The code behind a function, compiled function, method, module, class with a forward, partial, callable or code.

    Raises BadTarget with one sentence for everything else.
    """
    disabled = None
    function = target
    while not isinstance(function, (FunctionType, CodeType)):
        disabled = _why_disabled(function, disabled)
        inner = _step(function)
        if inner is None:
            raise BadTarget(_refusal(target))
        function = inner
    while isinstance(function, FunctionType):
        disabled = _why_disabled(function, disabled)
        inner = unwrap_compiled(function)
        if inner is function:
            break
        if not isinstance(inner, FunctionType):
            return _with_disabled(resolve(inner), disabled)
        function = inner
    code = function if isinstance(function, CodeType) else function.__code__
    return Target(code, disabled, _parts(target, code))


def _with_disabled(target: Target, disabled: str | None) -> Target:
    return Target(target.code, disabled if target.disabled is None else target.disabled, target.parts)


def _why_disabled(function: Any, known: str | None) -> str | None:
    return disabled_reason(function) if known is None else known


def _step(target: Any) -> Any:
    """One step from a callable towards its function; None if there is none."""
    unwrapped = unwrap_compiled(target)
    if unwrapped is not target:
        return unwrapped
    if isinstance(target, MethodType):
        return target.__func__
    if isinstance(target, partial):
        return target.func
    if isinstance(target, (staticmethod, classmethod)):
        return target.__func__
    if isinstance(target, type):
        return _python_function(target.__dict__.get("forward") or getattr(target, "forward", None))
    if _is_module(target):
        return target.forward
    wrapped = vars(target).get("__wrapped__") if hasattr(target, "__dict__") else None
    return wrapped or _python_function(_call_method(target))


def _call_method(target: Any) -> Any:
    return next((base.__dict__["__call__"] for base in type(target).__mro__ if "__call__" in base.__dict__), None)


def _python_function(value: Any) -> Any:
    return value if isinstance(value, (FunctionType, MethodType)) else None


def _is_module(target: Any) -> bool:
    """An nn.Module, told without importing torch."""
    return any(base.__module__ == "torch.nn.modules.module" for base in type(target).__mro__)


def _parts(target: Any, root: CodeType) -> tuple[CodeType, ...]:
    module = unwrap_compiled(target)
    if isinstance(module, MethodType):
        module = module.__self__
    if not _is_module(module):
        return ()
    forwards = (getattr(type(part).forward, "__code__", None) for part in module.modules())
    return tuple(dict.fromkeys(code for code in forwards if isinstance(code, CodeType) and code is not root))


def _refusal(target: Any) -> str:
    name = getattr(target, "__name__", None) or type(target).__name__
    if isinstance(target, type):
        return f"the class {name} has no forward written in Python; pass a function, a method or a module"
    if callable(target):
        return f"{name} is not written in Python, so torch.compile has nothing to compile there"
    return f"a {type(target).__name__} is not callable; pass a function, a method, a module or a code object"
