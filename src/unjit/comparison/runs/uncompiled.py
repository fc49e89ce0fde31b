"""What is run and compiled for a function that the program has compiled already, in whatever decorators it stands."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MethodType
from typing import Any

from unjit.torch_private.cache.targets import compiled_call, is_compiled, looks_compiled, unwrap_compiled


def uncompiled(function: Any) -> Any:
    """What `torch.compile` was given, also where a method or a cache of functools's stands around what it returned.

    A cache would hand one run the result of another; Dynamo looks through it as well.
    """
    function = unwrap_compiled(function)
    if isinstance(function, MethodType):
        inner = uncompiled(function.__func__)
        return function if inner is function.__func__ else MethodType(inner, function.__self__)
    return uncompiled(function.__wrapped__) if isinstance(function, functools._lru_cache_wrapper) else function


def called_as_compiled(function: Any) -> Any:
    """What `torch.compile` returned, where `uncompiled` finds what it was given, or what a decorator is around."""
    function = compiled_call(function)
    cached = isinstance(function, functools._lru_cache_wrapper)
    around = looks_compiled(function) and not is_compiled(function)
    wrapped = getattr(function, "__wrapped__", None) if cached or around else None
    return function if wrapped is None else called_as_compiled(wrapped)


@contextmanager
def compiled_on(backend: Callable[..., Any], function: Any, options: Mapping[str, Any]) -> Iterator[Any]:
    """Within the block, the function as `torch.compile` makes it with this backend and other options.

    A decorator around what torch.compile returned stays uncompiled, as it is in the program: functools.wraps copied to
    it what torch had put on the function inside, with which torch refuses it and would trace past other decorators.
    So does an object whose class was compiled, which is torch's in its `__call__`.
    The stance that the program has set does not hold within: it may force another backend, or no compile.
    """
    import torch

    if _holds_a_compiled_one(function):
        with torch.compiler.set_stance("default", force_backend=backend):
            yield function
    else:
        with torch.compiler.set_stance("default"):
            yield torch.compile(function, backend=backend, **{**options, **_in_a_region_of_its_own()})


@contextmanager
def compiled_earlier(function: Callable[..., Any]) -> Iterator[Any]:
    """Within the block, the function with what is in Dynamo's cache for it: where nothing there fits, as it is."""
    import torch

    with torch.compiler.set_stance("eager_on_recompile"):  # no call compiles then, whatever the backend
        yield function if _holds_a_compiled_one(function) else torch.compile(function, backend="eager")


def has_regions() -> bool:
    """Whether what is compiled for a comparison is out of reach of the program's calls."""
    return bool(_in_a_region_of_its_own())


def _holds_a_compiled_one(function: Any) -> bool:
    return looks_compiled(function) or looks_compiled(type(function).__call__)


def _in_a_region_of_its_own() -> dict[str, Any]:
    """Since torch 2.13 entries of one region do not count against the limit of another."""
    import torch

    named = inspect.signature(torch.compile).parameters
    return {"isolate_recompiles": True} if "isolate_recompiles" in named else {}
