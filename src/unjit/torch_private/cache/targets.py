"""From what a user holds to the function whose code Dynamo keeps entries for."""

from __future__ import annotations

import gc
import inspect
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any, Final

from unjit.model import Message, Unknown, known_or
from unjit.torch_private.probes import cache_probes as probes
from unjit.torch_private.probes.probe import is_part_of_torch

HOLDS: Final = "_unjit_compiled"  # where what unjit.wrap returned has what torch.compile returned


def unwrap_compiled(target: Any) -> Any:
    """What was passed to `torch.compile` (or to a decorator of Dynamo) to get `target`; `target` itself if none was."""
    while True:
        original = _original_module(target)
        original = _original_function(target) if original is None else original
        if original is None:
            return target
        target = original


def entered_function(target: Any) -> Any:
    """What a compiled module calls under Dynamo in place of its forward, where that is another function."""
    if _is_compiled_module(target):
        return unwrap_compiled(vars(target).get("forward"))
    wrapper = unwrap_compiled(compiled_in_place(target))
    return wrapper if is_torchs_wrapper(wrapper) else None


def compiled_around(module: Any) -> Any:
    """What torch.compile returned for a module, if that lives; None if none does, or if it cannot be told.

    It is found among the instances of its class, which Python's garbage collector looks for in all that is alive.
    """
    kind = probes.OPTIMIZED_MODULE.get()
    found = [] if isinstance(kind, Unknown) else gc.get_referrers(kind)
    return next((one for one in found if _original_module(one) is module), None)


def wrapper_around(function: Any) -> Any:
    """What torch put around a function of its own files to have Dynamo begin somewhere, if that lives; None without."""
    attributes = [one for one in gc.get_referrers(function) if type(one) is dict and one.get("__wrapped__") is function]
    owners = gc.get_referrers(*attributes) if attributes else []
    return next((one for one in owners if type(one) is FunctionType and is_torchs_wrapper(one)), None)


def is_given_to_compile(function: Any) -> bool:
    """Whether something lives that torch.compile returned for exactly this function."""
    name = probes.ORIGINAL_CALLABLE.attribute
    return any(type(one) is dict and one.get(name) is function for one in gc.get_referrers(function))


def is_torchs_wrapper(function: Any) -> bool:
    """Whether a function, or code object, is that wrapper: one code object for all functions that need one."""
    code = getattr(function, "__code__", function)
    if not isinstance(code, CodeType) or code.co_name != "inner":  # as others of torch's that functools.wraps made
        return False
    return is_part_of_torch(code) and code.co_filename.endswith("external_utils.py")


def is_of_an_operator(code: CodeType) -> bool:
    """Whether an operator of torch's compiles it where it is called in eager: on the eager backend, without a limit.

    So do flex_attention and those with functions in them, as torch.cond. What runs is the operator itself.
    """
    if not is_part_of_torch(code):
        return False
    file = code.co_filename.replace("\\", "/")
    return "/_higher_order_ops/" in file or code.co_name == "_flex_attention_hop_wrapper"


def is_compiled(target: Any) -> bool:
    """Whether `target` is something that torch.compile returned, or a method bound from that."""
    target = compiled_call(target)
    return unwrap_compiled(target) is not target and disabled_reason(target) is None


def compiled_call(target: Any) -> Any:
    """What a call of a module, method, partial or object calls, where torch.compile returned that; else `target`."""
    while isinstance(target, partial):
        target = target.func
    if isinstance(target, MethodType):
        return _held(target.__func__)
    target = _held(target)
    in_place = compiled_in_place(target)
    if in_place is not None:
        return in_place
    own = vars(target).get("forward") if hasattr(target, "__dict__") and not isinstance(target, type) else None
    if own is None and not isinstance(probes.COMPILED_CALL.of(target), Unknown):  # a module: it calls its class's
        own = inspect.getattr_static(type(target), "forward", None)
    found = (one for one in (own, inspect.getattr_static(type(target), "__call__", None)) if one is not None)
    return next((one for one in found if _original_function(one) is not None), target)


def _held(target: Any) -> Any:
    """What unjit.wrap wrapped, if it returned `target`; else `target` itself."""
    return vars(target).get(HOLDS, target) if hasattr(target, "__dict__") else target


def compiled_in_place(target: Any) -> Any:
    """What a call of a module calls since `module.compile()`; None for any other target."""
    called = probes.COMPILED_CALL.of(target)
    return called if callable(called) and not isinstance(called, Unknown) else None


def called_module(function: Any) -> Any:
    """The module that is called where `function` is the method by which torch calls it; None for any other."""
    owner = getattr(function, "__self__", None)
    names = (probes.MODULE_CALL.attribute, probes.WRAPPED_CALL.attribute)
    return owner if getattr(function, "__name__", "") in names else None


def pre_hooks(module: Any) -> int:
    """How many hooks run ahead of a module's forward: its own, and those of all modules."""
    hooks = probes.PRE_HOOKS.of(module), probes.GLOBAL_PRE_HOOKS.get()
    return sum(0 if isinstance(found, Unknown) else len(found) for found in hooks)


def hooks_on(tensor: Any) -> list[Any]:
    """The functions that a backward pass calls for this tensor's gradient."""
    found = (probes.TENSOR_HOOKS.of(tensor), probes.HOOKS_BEHIND.of(tensor))
    return [hook for hooks in found if isinstance(hooks, dict) for hook in hooks.values()]


def looks_compiled(function: Any) -> bool:
    """Whether it has the attribute that torch puts on a compiled function; functools.wraps may have copied that."""
    return probes.COMPILER_CONFIG.attribute in getattr(function, "__dict__", ())


def disabled_reason(target: Any) -> Message | None:
    """Why Dynamo is switched off for a function; None if it is not."""
    if probes.DISABLED.of(target) is not True:
        return None
    why = probes.DISABLED_WHY.of(target)
    return Message("" if why is None or isinstance(why, Unknown) else str(why))


def _is_compiled_module(target: Any) -> bool:
    kind = probes.OPTIMIZED_MODULE.get()
    return isinstance(kind, type) and issubclass(type(target), kind)


def _original_module(target: Any) -> Any:
    if not _is_compiled_module(target):
        return None
    return known_or(probes.ORIGINAL_MODULE.of(target), None)


def _original_function(target: Any) -> Any:
    """A copy made by functools.wraps has the attributes but another identity, and code that is not torch's."""
    original = probes.ORIGINAL_CALLABLE.of(target)
    if isinstance(original, Unknown):
        return None
    owner = probes.WRAPPER_ID.of(target)
    if isinstance(owner, Unknown):  # before torch 2.13
        code = getattr(target, "__code__", None)
        return original if code is None or is_part_of_torch(code) else None
    return original if owner == id(target) else None
