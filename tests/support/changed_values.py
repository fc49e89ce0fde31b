"""Values and states of torch that differ from given ones in one property: what guards must notice, or not mind."""

from __future__ import annotations

import collections
import contextlib
import copy
import types
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

FUNCTION_PARTS = ("code", "globals", "name", "defaults", "closure")
NOT_COPIED = ("torch._ops",)  # a copy of an operator recurses for ever when it is read

MARKINGS = (
    {"_has_dynamo_dim_marking": True},
    {"_dynamo_static_indices": {0}},
    {"_dynamo_dynamic_indices": {0}},
    {"_has_dynamo_dim_marking": True, "_dynamo_dynamic_indices": {0}},
    {"_has_dynamo_dim_marking": True, "_dynamo_dynamic_indices": {0}, "_dynamo_static_indices": {1}},
)


class Wrapper(torch.Tensor):
    """A subclass of tensors."""


class OtherInt(int):
    """A subclass of int."""


def others(value: Any, tensors: list[torch.Tensor]):
    """Values that differ from `value` in one property."""
    yield "is None", None
    yield "is an object", object()
    if isinstance(value, torch.Tensor):
        yield from other_tensors(value, tensors)
        return
    for kinds, make in OTHERS:
        if isinstance(value, kinds):
            yield from make(value)
            return
    if not isinstance(value, (type, types.ModuleType)) and type(value).__module__ not in NOT_COPIED:
        with contextlib.suppress(Exception):
            yield "a copy", copy.copy(value)


def other_flags(value):
    yield from (("negated", not value), ("as int", int(value)))


def other_numbers(value):
    yield from (("+ 1", value + 1), ("as float", float(value)), ("negative", -value), ("nan", float("nan")))
    yield from (("0", 0), ("1", 1), ("equal", copy.copy(value)))
    if isinstance(value, int):
        yield "a subclass", OtherInt(value)


def other_texts(value):
    yield from (("longer", value + "x"), ("empty", ""), ("equal", "".join(list(value))))


def other_sets(value):
    same = type(value)
    yield from (("with one more", same([*value, "x"])), ("equal", same(value)), ("empty", same()))


def other_dtypes(value):
    yield from (("float16", torch.float16), ("its name", str(value)))


def other_functions(value):
    yield "a copy", types.FunctionType(*(getattr(value, f"__{n}__") for n in FUNCTION_PARTS))
    yield "another function", other_tensors


def other_tensors(value: torch.Tensor, tensors: list[torch.Tensor]):
    with torch.no_grad():
        plain = value.detach()
        grad = value.requires_grad
        yield "equal", plain.clone().requires_grad_(grad)
        yield "view", value.view_as(value)
        for dtype in (torch.float64, torch.float32, torch.int64):
            yield f"as {dtype}", plain.to(dtype) if dtype != value.dtype else plain.clone()
        if value.is_floating_point():
            yield "requires_grad flipped", plain.clone().requires_grad_(not grad)
        for dim in range(value.dim()):
            yield (
                f"dim {dim} longer",
                torch.cat([plain, plain.narrow(dim, 0, min(1, value.shape[dim]))], dim).requires_grad_(grad),
            )
            yield f"dim {dim} empty", plain.narrow(dim, 0, 0).requires_grad_(grad)
            yield f"dim {dim} one", plain.narrow(dim, 0, min(1, value.shape[dim])).clone().requires_grad_(grad)
        yield "one dim more", plain.unsqueeze(0).requires_grad_(grad)
        yield "flat", plain.reshape(-1).clone().requires_grad_(grad)
        if value.dim() > 1:
            yield "transposed in memory", plain.transpose(0, 1).contiguous().transpose(0, 1).requires_grad_(grad)
        yield "strided", torch.empty((*value.shape, 2), dtype=value.dtype)[..., 0].requires_grad_(grad)
        yield "on meta", plain.to("meta").requires_grad_(grad)
        yield "a Parameter", torch.nn.Parameter(plain.clone(), requires_grad=grad)
        yield "a subclass", plain.clone().as_subclass(Wrapper)
        yield "numpy", plain.float().cpu().numpy()
        yield "a list", plain.tolist()
    with torch.inference_mode():
        yield "an inference tensor", plain.clone()
    if value.dim():
        for mark in (torch._dynamo.mark_dynamic, torch._dynamo.maybe_mark_dynamic, torch._dynamo.mark_static):
            marked = value.detach().clone().requires_grad_(grad)
            mark(marked, 0)
            yield mark.__name__, marked
    for attributes in MARKINGS:
        marked = value.detach().clone().requires_grad_(grad)
        marked.__dict__.update(attributes)
        yield f"with {attributes}", marked
    for other in tensors:
        if other is not value:
            yield "the same as another", other


def other_sequences(value):
    same = type(value)
    if same in (list, tuple):
        yield from (("longer", same([*value, None])), ("shorter", value[:-1]), ("reversed", same(value[::-1])))
        yield "of the other type", (tuple if same is list else list)(value)
        yield "equal", same(list(value))


class Defaulting(dict):
    """A dict that makes up what is missing, and notes that it was asked."""

    def __missing__(self, key):
        raise AssertionError("a guard must not ask a dict to make up items")


def other_dicts(value):
    same = type(value)
    if same not in (dict, collections.OrderedDict):
        return
    items = list(dict.items(value))
    yield "equal", same(items)
    yield "reversed", same(items[::-1])
    yield "one more", same([*items, ("another key", None)])
    yield "one less", same(items[:-1])
    yield "one less at the start", same(items[1:])
    yield "the other kind", (collections.OrderedDict if same is dict else dict)(items)
    yield "a subclass", Defaulting(items)
    yield "another value", same([*items[:-1], *((key, object()) for key, _ in items[-1:])])


OTHERS = (
    (bool, other_flags),
    ((int, float), other_numbers),
    (str, other_texts),
    ((list, tuple), other_sequences),
    (dict, other_dicts),
    ((set, frozenset), other_sets),
    (torch.dtype, other_dtypes),
    (types.FunctionType, other_functions),
)


class Mode(TorchFunctionMode):
    """A mode that does nothing."""


@contextlib.contextmanager
def default_dtype():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@contextlib.contextmanager
def default_device():
    torch.set_default_device("meta")
    try:
        yield
    finally:
        torch.set_default_device(None)


@contextlib.contextmanager
def deterministic():
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


@contextlib.contextmanager
def threads():
    before = torch.get_num_threads()
    torch.set_num_threads(before + 1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


STATES = {
    "with gradients": torch.enable_grad,
    "without gradients": torch.no_grad,
    "in inference mode": torch.inference_mode,
    "default dtype": default_dtype,
    "default device": default_device,
    "deterministic": deterministic,
    "threads": threads,
    "autocast": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
    "autocast to half": lambda: torch.autocast("cpu", dtype=torch.float16),
    "autocast off": lambda: torch.autocast("cpu", enabled=False),
    "a torch function mode": Mode,
    "no torch function": torch._C.DisableTorchFunctionSubclass,
    "saved tensor hooks": lambda: torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x),
    "forward AD": torch.autograd.forward_ad.dual_level,
}
