"""What guards compare that Python has no public word for: dispatch keys, global state, modes, hooks."""

from __future__ import annotations

import functools
import json
from contextlib import AbstractContextManager
from typing import Any, Final

from unjit.model import Unknown
from unjit.torch_private.probes import state_probes as probes
from unjit.torch_private.probes.probe import needed

MARKED: Final = probes.MARKED.attribute  # what a tensor gets when one of its dimensions is marked in any way
MARKS: Final = tuple(  # what it gets for each way of marking, in the order in which torch asks for them
    probe.attribute
    for probe in (probes.DYNAMIC, probes.WEAK_DYNAMIC, probes.UNBACKED, probes.STRICT_UNBACKED, probes.STATIC)
)


def dispatch_keys(tensor: Any) -> int:
    """The dispatch keys that count for a tensor here and now, as bits: its own and the thread's, less the excluded."""
    return effective(needed(probes.DISPATCH_KEYS.get())(tensor))


def effective(keys: Any) -> int:
    """A set of dispatch keys as it counts here and now, as bits."""
    counted = (keys | needed(probes.INCLUDED_KEYS.get())()) - needed(probes.EXCLUDED_KEYS.get())()
    return int(needed(probes.KEY_BITS.call_on(counted)))


def in_the_other_inference_mode() -> AbstractContextManager[Any]:
    """Inference mode where it is off, and none where it is on: dispatch keys count otherwise there."""
    import torch

    return torch.inference_mode(not torch.is_inference_mode_enabled())


@functools.cache
def keys_named(names: str) -> int:
    """The bits of dispatch keys by their names: `CPU, AutogradCPU`."""
    keys = needed(probes.KEYS_OF_BITS.call_on(needed(probes.KEY_SET.get()), 0))
    for name in names.split(", "):
        keys = keys | needed(probes.KEY_SET.get())(needed(probes.KEY_BY_NAME.get())(name))
    return int(needed(probes.KEY_BITS.call_on(keys)))


def global_state() -> dict[str, Any]:
    """Torch's global settings as its guard on them sees them: grad mode, autocast, default dtype, threads."""
    told = needed(probes.GLOBAL_SETTINGS.call_on(needed(probes.GLOBAL_STATE.get())()))
    state = json.loads(told if isinstance(told, str) else needed(probes.GLOBAL_SETTINGS.missing()))
    assert isinstance(state, dict)
    return state


def function_modes() -> tuple[Any, ...]:
    """The torch function modes that are active, outermost first."""
    count = needed(probes.MODE_COUNT.get())()
    return tuple(needed(probes.MODE_AT.get())(index) for index in range(count))


def default_device() -> Any:
    """What torch.set_default_device was last given; None if nothing."""
    return needed(probes.CURRENT_DEVICE.get())


def dual_level() -> Any:
    """The level of forward-mode differentiation; -1 outside."""
    return needed(probes.DUAL_LEVEL.get())


def saved_tensor_hooks() -> tuple[int, ...] | None:
    """The addresses of the hooks on saved tensors that a compile would inline; None if there are none."""
    hooks = needed(probes.SAVED_HOOKS.get())()
    return tuple(map(id, hooks)) if needed(probes.HOOKS_INLINED.get())(hooks) else None


def functorch_is(states: list[Any]) -> bool:
    """Whether the stack of functorch transforms is in these states."""
    return bool(needed(probes.FUNCTORCH_STATE.get())(states))


def functorch_states() -> list[Any]:
    """The states of the active functorch transforms, outermost first, in the form in which torch compares them."""
    return [needed(probes.FUNCTORCH_STATE_OF.call_on(one)) for one in needed(probes.FUNCTORCH_STACK.call())]


def overlapping(tensors: list[Any]) -> set[int]:
    """The positions of those tensors that may share memory with another one of them."""
    return set(needed(probes.OVERLAPPING.get())(tensors, symbolic=False))


def dict_version(value: dict[Any, Any]) -> int:
    """The number that changes with each change of a dict."""
    return int(needed(probes.DICT_VERSION.get())(value))


def without_torch_function() -> Any:
    """A context in which `__torch_function__` is not called, as Dynamo's guards read values."""
    return needed(probes.NO_TORCH_FUNCTION.get())()


def shape_function(name: str) -> Any:
    """A function of conditions on shapes. KeyError if torch has none of this name."""
    return needed(probes.SHAPE_FUNCTIONS.get())[name]


def is_shape_function(name: str) -> bool:
    """Whether conditions on shapes may call a function of this name."""
    functions = probes.SHAPE_FUNCTIONS.get()
    return not isinstance(functions, Unknown) and name in functions


def from_numpy(value: Any) -> Any:
    """A NumPy array as the tensor that Dynamo makes of it."""
    return needed(probes.FROM_NUMPY.get())(value)


def float_tensor(value: Any) -> Any:
    """A number as the tensor that Dynamo makes of it."""
    return needed(probes.FLOAT_TENSOR.get())(value)


def dataclass_fields(value: Any) -> Any:
    """The fields of a dataclass as Dynamo reads them."""
    return needed(probes.DATACLASS_FIELDS.get())(value)


def key_names(tensor: Any) -> str:
    """The dispatch keys that count for a tensor here and now, by name."""
    keys = needed(probes.DISPATCH_KEYS.get())(tensor) | needed(probes.INCLUDED_KEYS.get())()
    return str(keys - needed(probes.EXCLUDED_KEYS.get())()).removeprefix("DispatchKeySet(").removesuffix(")")


def settings_stay_guarded() -> bool:
    """Whether a filter of guards is not asked about those on torch's settings and function modes."""
    return isinstance(probes.STATE_GUARD.get(), Unknown)


def floats_are_constants() -> bool:
    """Whether torch is told to take each float for a constant; else it lets one vary from its second value on."""
    return probes.SPECIALIZE_FLOAT.get() is True
