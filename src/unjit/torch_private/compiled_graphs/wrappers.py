"""Inductor's wrapper, and what torch puts around it: for a GPU, a function that copies inputs which are not aligned."""

from __future__ import annotations

from collections.abc import Callable
from types import CellType, FunctionType, MethodType
from typing import Any

from unjit.torch_private.probes import graph_probes as probes
from unjit.torch_private.probes.probe import needed

Wrapper = FunctionType | MethodType


def wrapper_within(called: Any) -> Wrapper | None:
    """The function of the file that Inductor wrote: what is called, or what functions around it call; None without."""
    if not isinstance(called, FunctionType | MethodType):
        return None
    if called.__name__ == "call":
        return called
    return next((found for found in map(wrapper_within, _held(called)) if found is not None), None)


def called_with(called: Any, wrapper: Wrapper, double: Callable[..., Any]) -> Callable[..., Any]:
    """What `called` does, with `double` where it calls the wrapper. Functions of torch's own stay as they are."""
    if called == wrapper:
        return double
    assert isinstance(called, FunctionType)
    cells = [
        CellType(called_with(held, wrapper, double)) if wrapper_within(held) is not None else CellType(held)
        for held in _held(called)
    ]
    return FunctionType(called.__code__, called.__globals__, called.__name__, called.__defaults__, tuple(cells))


def load_generated(*args: Any, **kwargs: Any) -> Any:
    """Load a module that Inductor generated, as torch does with these arguments. Unsupported if this torch cannot."""
    return needed(probes.LOAD_GENERATED.get())(*args, **kwargs)


def _held(function: Wrapper) -> list[Any]:
    return [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
