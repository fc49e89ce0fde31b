"""From a call to the locals of the frame that Dynamo would see: bound arguments, defaults, opened cells."""

from __future__ import annotations

import inspect
import re
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any

from unjit.bytecode import free_variables
from unjit.bytecode.functions.frame import argument_names
from unjit.errors import BadCall, BadTarget
from unjit.model.words.wording import with_article
from unjit.observe.targets.resolving import is_module, own_call, step
from unjit.torch_private.cache.targets import (
    called_module,
    compiled_in_place,
    is_torchs_wrapper,
    pre_hooks,
    unwrap_compiled,
)


def frame_of(target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[FunctionType, dict[str, Any]]:
    """The function that a call of `target` enters, and the locals of its frame by name at its entry.

    Raises BadCall if the arguments do not fit, BadTarget if the target has no Python function.
    """
    function, all_args, all_kwargs = entered(target, args, kwargs)
    return function, locals_of(function, all_args, all_kwargs, known=len(all_args) - len(args))


def hooks_ahead(target: Any, entered: FunctionType) -> int:
    """How many hooks run between a call of a module and its forward, where Dynamo compiles that without them."""
    module = origin(target)
    module = called_module(module) or module
    if not is_module(module) or is_torchs_wrapper(entered.__code__) or entered is own_call(type(module)):
        return 0
    return pre_hooks(module)


def call_ahead(target: Any) -> str | None:
    """The `__call__` ahead of the forward of a module whose `compile()` was called, if its class has one of its own."""
    module = origin(target)
    call = own_call(type(module))
    return None if call is None or compiled_in_place(module) is None else call.__qualname__


def origin(target: Any) -> Any:
    """What was compiled: alive as long as the program needs it, while what torch.compile returned may be dropped."""
    while True:
        inner = unwrap_compiled(target)
        if inner is target and not isinstance(target, (FunctionType, MethodType)) and hasattr(target, "__dict__"):
            inner = vars(target).get("__wrapped__", target)
        if inner is target:
            return target
        target = inner


def locals_of(
    function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any], *, known: int = 0
) -> dict[str, Any]:
    """Arguments with defaults applied, `*args` as a tuple, `**kwargs` as a dict, and what free variables hold.

    The first `known` arguments are not the caller's: they come with what is asked about, as `self` with a module.
    """
    signature = inspect.signature(with_code(function, function.__code__))
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        first = "".join(f", without {name}, which is known" for name in list(signature.parameters)[:known])
        raise BadCall(f"the arguments do not fit {function.__qualname__}{signature}{first}: {error}") from None
    bound.apply_defaults()
    return {**bound.arguments, **free_variables(function)}


def as_passed(code: CodeType, text: str) -> str:
    """The text with what `**kwargs` gathers under the names by which it is passed, as `x` for `kwargs['x']`."""
    if not code.co_flags & inspect.CO_VARKEYWORDS:
        return text
    return re.sub(rf"\b{argument_names(code)[-1]}\['(\w+)'\]", r"\1", text)


def gathering(code: CodeType) -> dict[str, str]:
    """The parameters that gather other arguments: `{"args": "positional", "kwargs": "keyword"}`."""
    kinds = ((inspect.CO_VARARGS, "positional"), (inspect.CO_VARKEYWORDS, "keyword"))
    found = [kind for flag, kind in kinds if code.co_flags & flag]
    return dict(zip(argument_names(code)[-len(found) :], found, strict=True)) if found else {}


def with_code(function: FunctionType, code: CodeType) -> FunctionType:
    """A function with this code and all else of `function` that decides what a call does; no decorator's signature."""
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def entered(
    target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[FunctionType, tuple[Any, ...], dict[str, Any]]:
    """The innermost function of a callable, with what methods and partials add to the arguments."""
    while True:
        if isinstance(target, (CodeType, type)):
            what = "code object" if isinstance(target, CodeType) else "class"
            raise BadTarget(f"{with_article(what)} is not what runs; pass the function, the method or the instance")
        if isinstance(target, FunctionType) and unwrap_compiled(target) is target:
            return target, args, kwargs
        if isinstance(target, MethodType) and called_module(target) is None:
            args = (target.__self__, *args)
        elif isinstance(target, partial):
            args, kwargs = (*target.args, *args), {**target.keywords, **kwargs}
        inner = unwrap_compiled(target) if isinstance(target, FunctionType) else step(target)
        if inner is None:
            raise BadTarget(f"{type(target).__name__} is not written in Python, so torch.compile has nothing there")
        target = inner
