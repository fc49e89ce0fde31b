"""`unjit.compare`: whether the compiled function computes what eager computes, and where it differs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from types import FunctionType, MethodType
from typing import Any

from unjit.comparison.restoring.keepers import around_as_before, keepers_of
from unjit.comparison.runs.gpus import memory_given_back
from unjit.comparison.runs.program import Program
from unjit.comparison.runs.room import check_memory_lasted
from unjit.comparison.runs.running import backends_for, compared, name_of
from unjit.comparison.runs.uncompiled import called_as_compiled, uncompiled
from unjit.errors import BadTarget, Unsupported
from unjit.model import Comparison
from unjit.observe.targets.frames import frame_of, locals_of
from unjit.observe.targets.resolving import is_module, resolve
from unjit.render.forms.notebook import ShownInFull
from unjit.torch_private.cache.ahead_of_time import entries_of_ahead
from unjit.torch_private.cache.targets import pre_hooks
from unjit.torch_private.calling.callers import caller_of, sizes_that_vary
from unjit.torch_private.calling.calls_ahead import call_ahead
from unjit.torch_private.calling.compiled_calls import CompiledCall


def compare(function: Any, /, *args: Any, **kwargs: Any) -> Compared:
    """Call `function` with these arguments in eager and on each backend, and compare all that can be seen.

    Each run has copies of the inputs, the same state of the modules and optimizers, copies of the gradients that are
    there, and the same random state. Results, gradients (backward starts from every result that has one), inputs, the
    tensors of modules and optimizers, and others that the function names, as in globals, are compared afterwards: by
    type, shape and value, within what rounding explains for the dtype, and against the same program in float64 where
    that can run. In a job of several ranks, a call that talks to the others is run as often on each, which leaves
    float64 out.
    The answer names the first backend that differs from eager, and the first graph whose compiled form gives something
    else than its captured form. If torch.compile returned `function`, sizes vary as its `dynamic=…` says; its own
    backend, with its mode and options, is compared as well, and so is what earlier calls have compiled, which is named
    where it differs. If `aot_compile` returned it, what it was made from is compared, and last itself, as it is.

    Afterwards modules, optimizers, globals, classes and objects that the function reaches, gradients, random state and
    Dynamo's cache are as before (but an entry that fits is tried first from then on, as after a call, and before torch
    2.13 the entries of the comparison stay in the cache, unused); files are not. What the function prints or writes
    happens in each run. As Dynamo does, it looks through a cache of functools around the function; of a decorator
    around what torch.compile returned, only the inside is compiled.

    An exception is compared like a result: if all raise one of the same class, they agree, and the answer says so.

    Raises BadTarget if `function` has no Python code, BadCall if the arguments do not fit it, NoRoom if there is no
    memory for copies, and UnjitError if the inputs cannot be copied, the results cannot be looked through, the function
    takes from an iterator that cannot be copied, or a CUDA graph is being recorded.
    """
    return compare_on((), function, args, kwargs)


def compare_on(backends: Sequence[str], function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Compared:
    """`compare` on the backends of these names, as `torch.compile(backend=…)` takes them; without any, on its own."""
    resolve(function)
    import torch

    if not hasattr(torch.compiler, "set_stance"):
        raise Unsupported("this torch cannot switch its compiler off for a while; torch 2.6 and newer can")
    call, sizes = _call(function, args, kwargs)
    _check_arguments(call)
    with memory_given_back(), around_as_before():
        return Compared(_compared(backends, call, sizes))


def _check_arguments(call: CompiledCall) -> None:
    """Raise BadCall if the arguments do not fit: else eager and all backends would raise alike, and so agree.

    Nothing is known of a module with hooks ahead of its forward, which may change the arguments.
    """
    function = call.function
    if isinstance(function, FunctionType):
        locals_of(function, call.args, call.kwargs)
    elif isinstance(function, MethodType) or (is_module(function) and not pre_hooks(function)):
        with suppress(BadTarget):  # not written in Python
            frame_of(function, call.args, call.kwargs)


def _compared(backends: Sequence[str], call: CompiledCall, sizes: dict[str, Any]) -> Comparison:
    try:
        chosen = backends_for(backends, call.backend)
        keepers = keepers_of((compiler for _, compiler in chosen), call.ahead)
        program = Program.of(call.function, call.args, call.kwargs, keepers, fullgraph=call.fullgraph, **sizes)
        return compared(name_of(call.function), program, chosen, call)
    except Exception as error:
        check_memory_lasted(error)
        raise


def _call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[CompiledCall, dict[str, Any]]:
    """What is compared, and what torch.compile was told of the sizes in it."""
    if entries_of_ahead(function):
        return call_ahead(function, args, kwargs), {}
    compiled = called_as_compiled(function)
    caller = caller_of(compiled)
    fullgraph = caller.fullgraph is True
    return CompiledCall(uncompiled(function), args, kwargs, caller.backend, fullgraph), sizes_that_vary(compiled)


class Compared(ShownInFull):
    """The answer: `str()` is the text for people, `.data` the facts; true if all backends agree with eager."""

    def __init__(self, data: Comparison) -> None:
        self.data = data

    @property
    def same(self) -> bool:
        """Whether every backend agrees with eager, and eager with itself."""
        return self.data.first is None and self.data.whole and not self.data.unsteady

    def __bool__(self) -> bool:
        return self.same

    def __str__(self) -> str:
        from unjit.render.side_by_side.comparison import comparison_text

        return comparison_text(self.data)

    def __repr__(self) -> str:
        first = self.data.first
        if self.data.unsteady:
            told = "eager does not agree with itself"
        else:
            agree = "all backends agree with eager" if self.same else "not all backends could be compared"
            told = agree if first is None else f"{first.backend} {first.outcome}"
        return f"<unjit.Compared {self.data.function}: {told}>"
