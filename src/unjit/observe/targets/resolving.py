"""What a user may ask about, resolved to the code object that Dynamo keeps entries for."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import CodeType, FunctionType, MethodType
from typing import Any

from unjit.bytecode import distinct
from unjit.errors import BadTarget
from unjit.model.words.wording import with_article
from unjit.observe.functions.sources import qualname
from unjit.torch_private.cache.ahead_of_time import original_of
from unjit.torch_private.cache.entries import has_entries
from unjit.torch_private.cache.targets import (
    called_module,
    compiled_around,
    compiled_in_place,
    disabled_reason,
    entered_function,
    is_compiled,
    is_given_to_compile,
    is_torchs_wrapper,
    unwrap_compiled,
    wrapper_around,
)
from unjit.torch_private.probes.probe import is_part_of_torch


@dataclass(frozen=True, slots=True)
class Target:
    """The code object behind what was asked for, and the codes of its parts."""

    code: CodeType
    disabled: str | None  # why Dynamo is switched off for it; None if it is not
    qualname: str | None = None  # by which the user knows it; None: that of the code
    parts: tuple[CodeType, ...] = ()  # forwards of submodules, or what torch wraps: may have run by themselves
    entered: CodeType | None = None  # what torch calls it through, where Dynamo begins there and not at the code itself
    in_place: bool = False  # whether it is a module that was compiled in place, with `module.compile()`
    apart: tuple[str, ...] = ()  # submodules of torch's own that are compiled by themselves: one wrapper is all theirs


def resolve(target: Any) -> Target:
    """The code behind a function, compiled function, method, module, class with a forward, partial, callable or code.

    Raises BadTarget with one sentence for everything else.
    """
    return _resolved(compiled_behind(target))


def _resolved(target: Any) -> Target:
    disabled, function = None, target
    while not isinstance(function, (FunctionType, CodeType)):
        disabled = _why_disabled(function, disabled)
        inner = step(function)
        if inner is None:
            raise BadTarget(_refusal(target))
        function = inner
    while isinstance(function, FunctionType):
        disabled = _why_disabled(function, disabled)
        inner = unwrap_compiled(function)
        if inner is function:
            break
        if not isinstance(inner, FunctionType):
            found = resolve(inner)
            return found if found.disabled is not None else replace(found, disabled=disabled)
        function = inner
    if isinstance(function, CodeType):
        return Target(function, disabled)
    own, compiled = function.__code__, _compiled(target)
    parts = _parts(compiled, own) or _wrapped_by_torch(function)
    through = _called_through(compiled)
    entered, in_place = None if through is None else through.__code__, compiled_in_place(compiled) is not None
    return Target(own, disabled, function.__qualname__, parts, entered, in_place, _compiled_apart(compiled))


def compiled_behind(target: Any) -> Any:
    """What torch.compile returned, where `target` is a decorator's function around that; otherwise `target` itself.

    Decorators made with functools.wraps tell what they stand around. One that was itself given to torch.compile, and of
    whose code there are entries, was compiled together with what is behind it. One of torch's own, as `no_grad`, was
    compiled in a wrapper of torch's, as a partial or callable object is.
    """
    function = target.__func__ if isinstance(target, MethodType) else target
    behind = function
    while _is_decorators(behind):
        behind = vars(behind).get("__wrapped__")
    if behind is not function and is_compiled(behind):
        return MethodType(behind, target.__self__) if isinstance(target, MethodType) else behind
    around = wrapper_around(target) if _is_compiled_in_a_wrapper(target) else None
    return target if around is None else around


def _is_compiled_in_a_wrapper(target: Any) -> bool:
    """Whether it is a partial, a callable object, or a function of torch's own, which torch.compile did not return."""
    if isinstance(target, partial) or (not is_module(target) and _bound_call(target) is not None):
        return True
    if not isinstance(target, FunctionType) or unwrap_compiled(target) is not target:
        return False
    return is_part_of_torch(target.__code__) and not is_torchs_wrapper(target)


def _is_decorators(function: Any) -> bool:
    if isinstance(function, functools._lru_cache_wrapper):
        return True
    if not isinstance(function, FunctionType) or unwrap_compiled(function) is not function:
        return False
    # The functions that one decorator makes have one code object, and the entries may be another's.
    return has_entries(function.__code__) is not True or not is_given_to_compile(function)


def _why_disabled(function: Any, known: str | None) -> str | None:
    return disabled_reason(function) if known is None else known


def step(target: Any) -> Any:
    """What a callable calls: one step towards its function. None if there is no further step."""
    unwrapped = unwrap_compiled(target)
    if unwrapped is not target:
        return unwrapped
    if isinstance(target, MethodType):
        module = called_module(target)
        return target.__func__ if module is None else module.forward
    if isinstance(target, partial):
        return target.func
    if (original := original_of(target)) is not None:
        return original
    if isinstance(target, (staticmethod, classmethod)):
        return target.__func__
    if isinstance(target, property):
        return target.fget
    if isinstance(target, cached_property):
        return target.func
    if isinstance(target, type):
        return own_call(target) or _python_function(getattr(target, "forward", None))
    if is_module(target):
        return _entered_method(target)
    wrapped = vars(target).get("__wrapped__") if hasattr(target, "__dict__") else None
    return _bound_call(target) if wrapped is None else wrapped


def _entered_method(module: Any) -> Any:
    """Where Dynamo begins in a call of a module: at its forward, or at a `__call__` of its class's own around that.

    `module.compile()` compiles what such a `__call__` leads to.
    """
    call = None if compiled_in_place(module) is not None else own_call(type(module))
    return module.forward if call is None else MethodType(call, module)


def own_call(kind: type) -> FunctionType | None:
    """The `__call__` of a class of modules that has another than nn.Module's, where Dynamo never begins."""
    call = _call_of(kind) if is_module_class(kind) else None
    code = getattr(unwrap_compiled(call), "__code__", None)
    return None if code is None or is_part_of_torch(code) else call


def _bound_call(target: Any) -> Any:
    """What a call of an instance calls, if it is written in Python."""
    call = _call_of(type(target))
    return None if call is None else MethodType(call, target)


def _call_of(kind: type) -> FunctionType | None:
    found = next((base.__dict__["__call__"] for base in kind.__mro__ if "__call__" in base.__dict__), None)
    return found if isinstance(found, FunctionType) else None


def _python_function(value: Any) -> Any:
    return value if isinstance(value, (FunctionType, MethodType)) else None


def is_module(target: Any) -> bool:
    """An nn.Module, told without importing torch."""
    return is_module_class(type(target))


def is_module_class(kind: type) -> bool:
    """Whether it is a class of nn.Modules, told without importing torch."""
    return any(base.__name__ == "Module" and base.__module__ == "torch.nn.modules.module" for base in kind.__mro__)


def _compiled(target: Any) -> Any:
    """What torch.compile returned, if that was asked for, also by a method of it or through a wrapper.

    Modules of torch's own, as nn.Sequential, are compiled by what was returned for them alone: Dynamo never begins at
    the forward that they share with all others.
    """
    if isinstance(target, MethodType):
        target = target.__self__
    if hasattr(target, "__dict__"):
        target = vars(target).get("__wrapped__", target)
    around = compiled_around(target) if _is_module_of_torch(target) else None
    return target if around is None else around


def _is_module_of_torch(target: Any) -> bool:
    """Whether it is a module with a forward of torch's own; what torch.compile made of one is none."""
    if not is_module(target) or unwrap_compiled(target) is not target:
        return False
    code = getattr(unwrap_compiled(getattr(type(target), "forward", None)), "__code__", None)
    return isinstance(code, CodeType) and is_part_of_torch(code)


def called_through(target: Any) -> FunctionType | None:
    """What a call of a compiled module enters first, where that is another function than its forward."""
    return _called_through(_compiled(target))


def _called_through(compiled: Any) -> FunctionType | None:
    function = entered_function(compiled)
    if not isinstance(function, FunctionType):
        return None
    own = getattr(getattr(unwrap_compiled(compiled), "forward", None), "__code__", None)
    return None if function.__code__ is own else function


def code_with_entries(target: Target) -> CodeType:
    """The code that has the entries: that of what torch calls the function through, where that alone has some."""
    if target.entered is None or has_entries(target.code) is True or has_entries(target.entered) is not True:
        return target.code
    return target.entered


def codes_of(target: Target) -> list[CodeType]:
    """The code of a target, and of its parts that have entries of their own."""
    own = code_with_entries(target)
    return [own, *(part for part in target.parts if part is not own and has_entries(part) is True)]


def _parts(compiled: Any, root: CodeType) -> tuple[CodeType, ...]:
    module = unwrap_compiled(compiled)
    if isinstance(module, type) and is_module_class(module):
        kinds = [module]
    elif is_module(module):
        kinds = [type(part) for part in module.modules()]
    else:
        return ()
    methods = ((own_call(kind), getattr(kind, "forward", None)) for kind in kinds)
    functions = [entered_function(compiled), *itertools.chain.from_iterable(methods)]
    codes = distinct(getattr(function, "__code__", None) for function in functions)
    return tuple(code for code in codes if code is not root)


def _compiled_apart(module: Any) -> tuple[str, ...]:
    """Of a module that is not compiled itself: else its parts are traced with it."""
    is_compiled_itself = unwrap_compiled(module) is not module or compiled_in_place(module) is not None
    parts = module.named_modules() if is_module(module) and not is_compiled_itself else ()
    return tuple(name for name, part in parts if name and is_torchs_wrapper(entered_function(part)))


def _wrapped_by_torch(function: FunctionType) -> tuple[CodeType, ...]:
    """What is behind a function that torch puts around a partial or callable object, or a function with no_grad."""
    wrapped = vars(function).get("__wrapped__")
    if wrapped is None or not is_part_of_torch(function.__code__):
        return ()
    try:
        found = _resolved(wrapped)
    except BadTarget:
        return ()
    return (found.code, *found.parts)


def users_name(target: Target) -> str:
    """What the user knows a function by: where torch puts a wrapper around it that has its own name, what is behind."""
    name = target.qualname or qualname(target.code)
    is_its_own = name.rpartition(".")[2] == target.code.co_name
    if target.parts and is_its_own and is_torchs_wrapper(target.code):
        return qualname(target.parts[0])
    return name


def _refusal(target: Any) -> str:
    name = getattr(target, "__name__", None) or type(target).__name__
    if isinstance(target, type):
        return f"the class {name} has no forward written in Python; pass a function, a method or a module"
    if callable(target):
        return f"{name} is not written in Python, so torch.compile has nothing to compile there"
    kind = with_article(type(target).__name__)
    if type(target).__module__.partition(".")[0] == "unjit":
        return f"{kind} tells of a function that is compiled: pass that function itself"
    return f"{kind} is not callable; pass a function, a method, an nn.Module or a code object"
