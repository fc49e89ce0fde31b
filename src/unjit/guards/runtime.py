"""What generated guard functions call where Python has no word for a condition.

Each function says in Python what one of Dynamo's guards says in C++, and nothing more. They are plain functions, so
that the source of `entry.guards.source` can be run, changed and stepped through in the process that it was made in:
addresses mean objects of that process.
"""

from __future__ import annotations

import copy
import functools
import itertools
import operator
import sys
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

from unjit.errors import UnjitError, Unsupported
from unjit.torch_private import state

ANY = None  # a size or stride that may have any value
MARKED = "_has_dynamo_dim_marking"  # the attribute that a tensor gets when one of its dimensions is marked in any way
MARKS = (  # attributes by which torch knows how a dimension was marked
    "_dynamo_dynamic_indices",
    "_dynamo_weak_dynamic_indices",
    "_dynamo_unbacked_indices",
    "_dynamo_strict_unbacked_indices",
    "_dynamo_static_indices",
)
_Guards = TypeVar("_Guards", bound=Callable[..., bool])


def guard_function(function: _Guards) -> _Guards:
    """What cannot be read does not hold, as in Dynamo: an exception in a condition is a no."""

    @functools.wraps(function)
    def answer(*args: Any, **kwargs: Any) -> bool:
        try:
            return function(*args, **kwargs)
        except UnjitError:  # ours: this torch lacks what a condition needs, or the entry is gone
            raise
        except Exception:
            return False

    return answer  # type: ignore[return-value]  # it has the signature of what it wraps


# ---- values ----------------------------------------------------------------------------------------------------------
def same_object(value: object, address: int, what: str = "") -> bool:  # noqa: ARG001  (for a reader)
    """Whether `value` is the object at this address; `what` tells a reader its class."""
    return id(value) == address


def is_exactly(value: object, name: str, address: int) -> bool:  # noqa: ARG001  (for a reader)
    """Whether the class of `value` is the one at this address; `name` tells a reader which."""
    return id(type(value)) == address


def same_value(value: object, expected: object) -> bool:
    """Whether `value` has the type of `expected` and equals it."""
    return value is expected or (type(value) is type(expected) and bool(value == expected))


def dict_of(value: object, size: int, name: str = "dict", address: int = id(dict)) -> bool:  # noqa: ARG001  (for a reader)
    """Whether `value` is a dict of exactly this class and size."""
    return id(type(value)) == address and isinstance(value, dict) and dict.__len__(value) == size


def has_key(value: object, key: object) -> bool:
    """Whether `value` is a dict with this key."""
    return isinstance(value, (dict, MappingProxyType)) and _plain(value).__contains__(key)


def has_member(value: object, member: object) -> bool:
    """Whether `value` is a set with this member, past what its class makes of `in`."""
    if isinstance(value, set):
        return set.__contains__(value, member)
    return isinstance(value, frozenset) and frozenset.__contains__(value, member)


def has_attribute(value: object, name: str) -> bool:
    """Whether reading the attribute works; whatever it raises counts as no."""
    try:
        getattr(value, name)
    except Exception:
        return False
    return True


def is_nan(value: object, kind: type) -> bool:
    """Whether `value` is a not-a-number of exactly this type."""
    return type(value) is kind and value != value  # noqa: PLR0124  (what only a nan does)


def named(name: str) -> Any:
    """The class or other object of an imported module by its dotted name. LookupError if there is none.

    What torch has under a name when it is first asked for stays: guards may be about that very name.
    """
    return _torch_named(name) if name.startswith("torch.") else _named(name)


@functools.cache
def _torch_named(name: str) -> Any:
    return _named(name)


def _named(name: str) -> Any:
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        module = sys.modules.get(".".join(parts[:cut]))
        if module is not None:
            return operator.attrgetter(".".join(parts[cut:]))(module)
    return operator.attrgetter(name)(sys.modules["builtins"])


def keys_view(keys: Iterable[Any]) -> Any:
    """A view of the keys of a dict with these keys."""
    return dict.fromkeys(keys).keys()


# ---- reaching values -------------------------------------------------------------------------------------------------
def item(value: Any, key: object) -> Any:
    """The item of a dict, past what its class makes of `[]` and of missing keys."""
    plain = _plain(value)
    if not plain.__contains__(key):
        raise KeyError(key)
    return plain.__getitem__(key)


class _PlainDict:
    """A dict read as `dict` itself reads it."""

    def __init__(self, value: dict[Any, Any]) -> None:
        self.value = value

    def __contains__(self, key: object) -> bool:
        return dict.__contains__(self.value, key)

    def __getitem__(self, key: object) -> Any:
        return dict.__getitem__(self.value, key)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return value if type(value) is dict else _PlainDict(value)
    if isinstance(value, MappingProxyType):
        return value
    raise TypeError(f"a dict was expected, not {type(value).__name__}")


def key_at(value: dict[Any, Any], index: int) -> Any:
    """The key at this place in the order of the dict."""
    return next(itertools.islice(dict.keys(value), index, None))


def value_at(value: dict[Any, Any], index: int) -> Any:
    """The value at this place in the order of the dict."""
    return dict.__getitem__(value, key_at(value, index))


def referent(value: object) -> Any:
    """What a weak reference refers to; None if that is gone. TypeError for everything else."""
    if not isinstance(value, weakref.ReferenceType):
        raise TypeError(f"a weak reference was expected, not {type(value).__name__}")
    return value()


def rest_of(iterator: object) -> tuple[Any, ...]:
    """What an iterator over a tuple would still give; it is not moved."""
    return tuple(copy.copy(iterator)) if type(iterator) is type(iter(())) else ()


def range_left(iterator: Any) -> tuple[int, int, int]:
    """Where an iterator over a range goes on, where it stops, and its step; it is not moved."""
    if type(iterator) is not type(iter(range(0))):
        raise TypeError(f"an iterator over a range was expected, not {type(iterator).__name__}")
    _, (numbers,), position = (*iterator.__reduce__(), None)[:3]
    start = numbers.start + (position or 0) * numbers.step
    return start, numbers.start + len(numbers) * numbers.step, numbers.step


def count_left(iterator: Any) -> tuple[Any, Any]:
    """The next number and the step of an itertools.count; it is not moved."""
    if type(iterator) is not itertools.count:
        raise TypeError(f"an itertools.count was expected, not {type(iterator).__name__}")
    first = copy.copy(iterator)
    start = next(first)
    return start, next(first) - start


def gradient(tensor: Any) -> Any:
    """The gradient of a tensor. TypeError for everything else."""
    import torch

    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"a tensor was expected, not {type(tensor).__name__}")
    return tensor.grad


def dataclass_fields(value: Any) -> Any:
    """The fields of a dataclass, as Dynamo counts them."""
    return state.dataclass_fields(value)


def as_tensor(value: Any) -> Any:
    """A NumPy array as a tensor; everything else as it is."""
    return state.from_numpy(value)


def float_tensor(value: Any) -> Any:
    """A number as a tensor of full precision."""
    return state.float_tensor(value)


def function_mode(index: int) -> Any:
    """The torch function mode at this place of the stack."""
    return state.function_modes()[index]


# ---- tensors ---------------------------------------------------------------------------------------------------------
def is_tensor_like(
    value: Any,
    *,
    dtype: Any,
    shape: Sequence[int | None],
    stride: Sequence[int | None],
    requires_grad: bool,
    device: str | None = None,
    keys: str | None = None,
    index: int | None = None,
    kind: type | int | None = None,
) -> bool:
    """Whether `value` is a tensor with these properties; ANY in `shape` or `stride` stands for any number.

    `device` stands for an ordinary tensor there. For every other (a subclass, an inference tensor, a sparse one) `keys`
    names its dispatch keys and `index` its device's number. `kind` is its class, if not torch.Tensor, or its address.
    """
    if kind is None:
        import torch

        kind = torch.Tensor
    if id(type(value)) != (kind if isinstance(kind, int) else id(kind)):
        return False
    if device is not None:
        place, _, number = device.partition(":")
        keys, index = ordinary_keys(place), int(number) if number else None
    return (
        state.dispatch_keys(value) == state.keys_named(keys or "")
        and value.dtype == dtype
        and value.device.index == index
        and value.requires_grad == requires_grad
        and _fits(value.shape, shape)
        and _fits(value.stride(), stride)
    )


@functools.cache
def ordinary_keys(place: str) -> str:
    """The dispatch keys of an ordinary tensor on a kind of device."""
    backend = {"cpu": "CPU", "cuda": "CUDA", "mps": "MPS", "xpu": "XPU", "meta": "Meta"}[place]
    return f"{backend}, BackendSelect, ADInplaceOrView, Autograd{backend}"


def _fits(numbers: Sequence[int], expected: Sequence[int | None]) -> bool:
    return len(numbers) == len(expected) and all(
        want is None or want == have for want, have in zip(expected, numbers, strict=True)
    )


def unmarked(tensor: object, *names: str) -> bool:
    """Whether no dimension is marked in these ways; without names: by mark_dynamic, mark_static or their like."""
    return not any(has_attribute(tensor, name) for name in names or (MARKED,))


def marked_within(tensor: object, name: str, dimensions: set[int]) -> bool:
    """Whether no other dimension than these is marked in this way."""
    return not has_attribute(tensor, name) or set(getattr(tensor, name)).issubset(dimensions)


def are_different(*values: object) -> bool:
    """Whether no two of these are the same object."""
    return len(set(map(id, values))) == len(values)


def memory_is_shared(shared: Sequence[Any], apart: Sequence[Any]) -> bool:
    """Whether of all these tensors exactly the first ones may overlap in memory."""
    return state.overlapping([*shared, *apart]) == set(range(len(shared)))


def dispatch_keys_are(value: Any, names: str) -> bool:
    """Whether a set of dispatch keys is this one."""
    return state.effective(value) == state.keys_named(names)


def dict_unchanged(value: object, version: int) -> bool:
    """Whether a dict was not changed since its version had this number."""
    return isinstance(value, dict) and state.dict_version(value) == version


# ---- the state of torch ----------------------------------------------------------------------------------------------
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


def plain_reading() -> Any:
    """A context in which tensors are read past `__torch_function__`, as Dynamo's guards read them."""
    return state.without_torch_function()


def shape_function(name: str) -> Callable[..., Any]:
    """A function that conditions on shapes call, by torch's name for it: `Mod`, `FloorDiv`."""
    function: Callable[..., Any] = state.shape_function(name)
    return function


# ---- what only torch knows -------------------------------------------------------------------------------------------
def ask_torch(number: int, text: str, value: object) -> bool:  # noqa: ARG001  (predicates have their own)
    """Torch's own answer to a condition that it tells in no form that is known.

    `entry.guards.predicate` has it; text that is run by itself cannot: Unsupported.
    """
    raise Unsupported(f"only torch's own guard can answer this: {text}")


def unreadable(text: str) -> None:
    """A condition that cannot be asked at all. Unsupported, since everything that can be read holds."""
    raise Unsupported(f"all that can be read holds, but this cannot be read: {text}")
