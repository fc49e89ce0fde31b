"""Guards that look at no value of the program: torch's settings, modes, hooks and transforms."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from typing import Any

from unjit.guards.leaf_text import LeafText, Parsed
from unjit.guards.runtime import readable_state
from unjit.guards.values import dotted_name, value_expression

_AGAINST = re.compile(r"___check_global_state\(\) against (\{.*\})", re.DOTALL)
_DEVICE = re.compile(r"utils_device\.CURRENT_DEVICE == (.*)", re.DOTALL)
_LEVEL = re.compile(r"torch\.autograd\.forward_ad\._current_level == (-?\d+)")
_HOOKS = re.compile(r"torch\._functorch\.aot_autograd\.utils\.top_saved_tensors_hooks ids == (?:None|\((\d+), (\d+)\))")
_TRANSFORMS = re.compile(r"torch\._functorch\.pyfunctorch\.compare_functorch_state\((\[.*\])\)")
_MODES = {"Vmap": "randomness", "Grad": "grad mode outside", "Jvp": "forward grad mode outside"}  # after the level
_DTYPES = {5: "float16", 6: "float32", 7: "float64", 15: "bfloat16"}  # torch's numbers of dtypes
_DEVICES = {0: "cpu", 1: "cuda", 12: "xpu", 13: "mps"}  # torch's numbers of kinds of devices


def setting_in_words(name: str, value: Any) -> str:
    """A setting of torch's global state, with names for the numbers that torch has for dtypes and devices."""
    if name == "default_dtype":
        return _DTYPES.get(value, repr(value))
    if name == "autocast" and isinstance(value, dict):
        on = (f"{_DEVICES.get(device, device)} to {_DTYPES.get(dtype, dtype)}" for device, dtype in value.items())
        return ", ".join(on) or "off"
    return repr(value)


def _global_state(leaf: LeafText) -> Parsed | None:
    match = _AGAINST.fullmatch(leaf.parts[0])
    if match is None:
        return None
    try:
        settings = readable_state(json.loads(match[1]))
    except (ValueError, KeyError, TypeError):
        return None
    words = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    dtype = _DTYPES.get(settings.get("default_dtype", -1))
    remark = f"{words} (dtype {settings['default_dtype']} is {dtype})" if dtype else words
    return Parsed(f"global_state_is({words})", remark)


def _modes(leaf: LeafText) -> Parsed | None:
    if leaf.modes is None or leaf.parts != ("___check_torch_function_mode_stack()",):
        return None
    addresses = ", ".join(f"{id(kind):#x}" for kind in leaf.modes)
    return Parsed(f"function_modes_are({addresses})", ", ".join(map(dotted_name, leaf.modes)) or "none")


def _device(leaf: LeafText) -> Parsed | None:
    match = _DEVICE.fullmatch(leaf.parts[0])
    written = value_expression(match[1].strip(), None) if match else None
    return None if written is None else Parsed(f"default_device_is({written})", written)


def _dual_level(leaf: LeafText) -> Parsed | None:
    match = _LEVEL.fullmatch(leaf.parts[0])
    return None if match is None else Parsed(f"dual_level_is({match[1]})", match[1])


def root_lambda(text: str) -> Parsed | None:
    """Conditions on torch's state that Dynamo writes in Python."""
    hooks = _HOOKS.fullmatch(text)
    if hooks:
        return _saved_tensor_hooks(*hooks.groups())
    transforms = _TRANSFORMS.fullmatch(text)
    return _functorch(transforms[1]) if transforms else None


def _functorch(text: str) -> Parsed | None:
    try:
        states = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    if not all(isinstance(one, tuple) and one for one in states):
        return None
    written = f"functorch_transforms_are({', '.join(map(repr, states))})" if states else "no_functorch_transform()"
    return Parsed(written, transforms_in_words(states))


def transforms_in_words(states: list[tuple[Any, ...]]) -> str:
    """Functorch transforms, outermost first."""
    return ", ".join(map(_transform, states)) or "none"


def _transform(state: tuple[Any, ...]) -> str:
    name, level, *mode = state
    told = f" ({_MODES.get(name, 'mode')}: {mode[0]})" if mode else ""
    return f"{str(name).lower()} at level {level}{told}"


def hooks_in_words(addresses: tuple[int, ...] | None) -> str:
    """Hooks on saved tensors that a compile would inline, by their addresses."""
    return "None" if addresses is None else f"those at {' and at '.join(f'{address:#x}' for address in addresses)}"


def _saved_tensor_hooks(*ids: str | None) -> Parsed:
    """The hooks by the addresses of both; None where there are none that a compile would inline."""
    addresses = tuple(int(address) for address in ids if address is not None) or None
    written = addresses and f"({', '.join(map(hex, addresses))})"
    return Parsed(f"saved_tensor_hooks_are({written})", hooks_in_words(addresses))


STATE_PARSERS: dict[str, Callable[[LeafText], Any]] = {
    "GLOBAL_STATE": _global_state,
    "TORCH_FUNCTION_MODE_STACK": _modes,
    "DEFAULT_DEVICE": _device,
    "DUAL_LEVEL_MATCH": _dual_level,
}
