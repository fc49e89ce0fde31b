"""What guards compare that Python has no public word for: dispatch keys, global state, modes, hooks."""

from __future__ import annotations

import functools
import json
from typing import Any

from unjit.errors import Unsupported
from unjit.model import Unknown
from unjit.torch_private import probes
from unjit.torch_private.probe import Probe


def needed(probe: Probe) -> Any:
    """The probe's value; Unsupported if this torch does not have it."""
    value = probe.get()
    if isinstance(value, Unknown):
        raise Unsupported(str(value.reason))
    return value


def dispatch_keys(tensor: Any) -> int:
    """The dispatch keys that count for a tensor here and now, as bits: its own and the thread's, less the excluded."""
    return effective(needed(probes.DISPATCH_KEYS)(tensor))


def effective(keys: Any) -> int:
    """A set of dispatch keys as it counts here and now, as bits."""
    return int(((keys | needed(probes.INCLUDED_KEYS)()) - needed(probes.EXCLUDED_KEYS)()).raw_repr())


@functools.cache
def keys_named(names: str) -> int:
    """The bits of dispatch keys by their names: `CPU, AutogradCPU`."""
    keys = needed(probes.KEY_SET).from_raw_repr(0)
    for name in names.split(", "):
        keys = keys | needed(probes.KEY_SET)(needed(probes.KEY_BY_NAME)(name))
    return int(keys.raw_repr())


def global_state() -> dict[str, Any]:
    """Torch's global settings as its guard on them sees them: grad mode, autocast, default dtype, threads."""
    state = json.loads(needed(probes.GLOBAL_STATE)().__getstate__())
    assert isinstance(state, dict)
    return state


def function_modes() -> tuple[Any, ...]:
    """The torch function modes that are active, outermost first."""
    count = needed(probes.MODE_COUNT)()
    return tuple(needed(probes.MODE_AT)(index) for index in range(count))


def default_device() -> Any:
    """What torch.set_default_device was last given; None if nothing."""
    return needed(probes.CURRENT_DEVICE)


def dual_level() -> Any:
    """The level of forward-mode differentiation; -1 outside."""
    return needed(probes.DUAL_LEVEL)


def saved_tensor_hooks() -> tuple[int, ...] | None:
    """The addresses of the hooks on saved tensors that a compile would inline; None if there are none."""
    hooks = needed(probes.SAVED_HOOKS)()
    return tuple(map(id, hooks)) if needed(probes.HOOKS_INLINED)(hooks) else None


def functorch_is(states: list[Any]) -> bool:
    """Whether the stack of functorch transforms is in these states."""
    return bool(needed(probes.FUNCTORCH_STATE)(states))


def overlapping(tensors: list[Any]) -> set[int]:
    """The positions of those tensors that may share memory with another one of them."""
    return set(needed(probes.OVERLAPPING)(tensors, symbolic=False))


def dict_version(value: dict[Any, Any]) -> int:
    """The number that changes with each change of a dict."""
    return int(needed(probes.DICT_VERSION)(value))


def without_torch_function() -> Any:
    """A context in which `__torch_function__` is not called, as Dynamo's guards read values."""
    return needed(probes.NO_TORCH_FUNCTION)()


def shape_function(name: str) -> Any:
    """A function of conditions on shapes. KeyError if torch has none of this name."""
    return needed(probes.SHAPE_FUNCTIONS)[name]


def is_shape_function(name: str) -> bool:
    """Whether conditions on shapes may call a function of this name."""
    functions = probes.SHAPE_FUNCTIONS.get()
    return not isinstance(functions, Unknown) and name in functions


def from_numpy(value: Any) -> Any:
    """A NumPy array as the tensor that Dynamo makes of it."""
    return needed(probes.FROM_NUMPY)(value)


def float_tensor(value: Any) -> Any:
    """A number as the tensor that Dynamo makes of it."""
    return needed(probes.FLOAT_TENSOR)(value)


def dataclass_fields(value: Any) -> Any:
    """The fields of a dataclass as Dynamo reads them."""
    return needed(probes.DATACLASS_FIELDS)(value)


def key_names(tensor: Any) -> str:
    """The dispatch keys that count for a tensor here and now, by name."""
    keys = needed(probes.DISPATCH_KEYS)(tensor) | needed(probes.INCLUDED_KEYS)()
    return str(keys - needed(probes.EXCLUDED_KEYS)()).removeprefix("DispatchKeySet(").removesuffix(")")
