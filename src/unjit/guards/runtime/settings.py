"""The state of torch: global settings, active modes, hooks, and reading past them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from unjit.torch_private.guard_trees import state


def global_state_is(**expected: Any) -> bool:
    """Whether torch's global settings are these: grad mode, autocast, default dtype, number of threads, and others.

    `autocast` has the dtype number for each kind of device that has it switched on, by torch's number of that kind.
    """
    actual = readable_state(state.global_state())
    return all(name in actual and actual[name] == value for name, value in expected.items())


def readable_state(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Torch's global settings with autocast as what it is compared by: settings that are switched off do not count."""
    settings = {name: value for name, value in raw.items() if name != "autocast_state"}
    autocast = raw["autocast_state"]
    switched_on = [number for number, enabled in enumerate(autocast["enabled"]) if enabled]
    settings["autocast"] = {number: autocast["dtype"][number] for number in switched_on}
    settings["autocast_cache"] = autocast["cached_enabled"]
    return settings


def function_modes_are(*types: int) -> bool:
    """Whether the active torch function modes have the classes at these addresses, outermost first."""
    return tuple(id(type(mode)) for mode in state.function_modes()) == types


def default_device_is(device: Any) -> bool:
    """Whether torch.set_default_device was last given this device; None: it was not called."""
    return bool(state.default_device() == device)


def dual_level_is(level: int) -> bool:
    """Whether forward-mode differentiation is at this level; -1: it is off."""
    found = state.dual_level()
    return type(found) is int and found == level


def saved_tensor_hooks_are(addresses: tuple[int, ...] | None) -> bool:
    """Whether the hooks on saved tensors that a compile would inline are those at these addresses."""
    return state.saved_tensor_hooks() == addresses


def no_functorch_transform() -> bool:
    """Whether no functorch transform (vmap, grad, jvp) is active."""
    return state.functorch_is([])


def functorch_transforms_are(*states: tuple[Any, ...]) -> bool:
    """Whether these functorch transforms are active, outermost first: of each its name, its level and its mode."""
    return state.functorch_is(list(states))


def plain_reading() -> Any:
    """A context in which tensors are read past `__torch_function__`, as Dynamo's guards read them."""
    return state.without_torch_function()


def shape_function(name: str) -> Callable[..., Any]:
    """A function that conditions on shapes call, by torch's name for it: `Mod`, `FloorDiv`."""
    function: Callable[..., Any] = state.shape_function(name)
    return function
