"""The modules and optimizers that a call can reach: no run gets copies of them, what it changes in them is put back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import FunctionType, MethodType
from typing import Any

from unjit.comparison.restoring.undoing import MISSING, content
from unjit.comparison.restoring.weak import behind


def modules_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """The modules that a call can reach: its own, of its closure, the globals that it names, and its arguments."""
    import torch

    found = [value for value in _reached(function, args, kwargs) if isinstance(value, torch.nn.Module)]
    return list({id(module): module for module in found}.values())


def optimizers_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """The optimizers that a call can reach in the same ways."""
    import torch

    return [value for value in _reached(function, args, kwargs) if isinstance(value, torch.optim.Optimizer)]


def tensors_of(modules: list[Any]) -> Iterator[tuple[str, Any]]:
    """Their parameters and buffers, by names of which no two are the same."""
    for name, module in _by_name(modules):
        yield from ((f"{name}.{path}", tensor) for path, tensor in module.named_parameters())
        yield from ((f"{name}.{path}", tensor) for path, tensor in module.named_buffers())


def named_modules(modules: list[Any]) -> Iterator[tuple[str, Any]]:
    """They and the modules in them, by names as `tensors_of` has them."""
    for name, module in _by_name(modules):
        yield from ((f"{name}.{path}" if path else name, part) for path, part in module.named_modules())


def _by_name(modules: list[Any]) -> Iterator[tuple[str, Any]]:
    return (("module" if len(modules) == 1 else f"module_{number}", module) for number, module in enumerate(modules))


def tensors_of_optimizers(optimizers: Sequence[Any], known: set[int]) -> Iterator[tuple[str, Any]]:
    """What they step, and what they keep of it, by name; without tensors whose ids are `known`."""
    for number, optimizer in enumerate(optimizers):
        own = "optimizer" if len(optimizers) == 1 else f"optimizer_{number}"
        for at, parameter in enumerate(_parameters(optimizer)):
            kept = optimizer.state.get(parameter, {})
            named = [(f"{own}.state[{at}][{key!r}]", value) for key, value in kept.items()]
            for name, value in [(f"{own}'s parameter {at}", parameter), *named]:
                if hasattr(value, "is_leaf") and id(value) not in known:
                    known.add(id(value))
                    yield name, value


def _parameters(optimizer: Any) -> list[Any]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def _reached(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[Any]:
    yield from map(behind, (*_held_by(function), *args, *kwargs.values()))


def _held_by(function: Any) -> Iterator[Any]:
    yield function
    if isinstance(function, MethodType):
        yield function.__self__
        function = function.__func__
    function = getattr(function, "__wrapped__", function)
    if isinstance(function, FunctionType):
        cells = function.__closure__ or ()
        yield from (held for cell in cells if (held := content(cell)) is not MISSING)
        yield from (function.__globals__[name] for name in function.__code__.co_names if name in function.__globals__)
