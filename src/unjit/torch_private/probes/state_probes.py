"""The private names by which guards compare values and the state of torch."""

from __future__ import annotations

from typing import Final

from unjit.torch_private.probes.probe import Probe

# ---- guard_trees/state.py --------------------------------------------------------------------------------------------
_NO_CHECK: Final = "guards that need it cannot be checked in Python"
DISPATCH_KEYS: Final = Probe("torch._C._dispatch_keys", "compare the kind of a tensor", _NO_CHECK)
INCLUDED_KEYS: Final = Probe("torch._C._dispatch_tls_local_include_set", "compare the kind of a tensor", _NO_CHECK)
EXCLUDED_KEYS: Final = Probe("torch._C._dispatch_tls_local_exclude_set", "compare the kind of a tensor", _NO_CHECK)
KEY_SET: Final = Probe("torch._C.DispatchKeySet", "compare the kind of a tensor", _NO_CHECK)
KEY_BY_NAME: Final = Probe("torch._C._dispatch_key_parse", "compare the kind of a tensor", _NO_CHECK)
KEY_BITS: Final = Probe("DispatchKeySet.raw_repr", "compare the kind of a tensor", _NO_CHECK)
KEYS_OF_BITS: Final = Probe("DispatchKeySet.from_raw_repr", "compare the kind of a tensor", _NO_CHECK)
GLOBAL_SETTINGS: Final = Probe("GlobalStateGuard.__getstate__", "compare torch's global settings", _NO_CHECK)
GLOBAL_STATE: Final = Probe("torch._C._dynamo.guards.GlobalStateGuard", "compare torch's global settings", _NO_CHECK)
MODE_COUNT: Final = Probe("torch._C._len_torch_function_stack", "compare the active torch function modes", _NO_CHECK)
MODE_AT: Final = Probe("torch._C._get_function_stack_at", "compare the active torch function modes", _NO_CHECK)
CURRENT_DEVICE: Final = Probe("torch.utils._device.CURRENT_DEVICE", "compare the default device", _NO_CHECK)
DUAL_LEVEL: Final = Probe(
    "torch.autograd.forward_ad._current_level", "compare the level of forward-mode differentiation", _NO_CHECK
)
SAVED_HOOKS: Final = Probe(
    "torch._functorch._aot_autograd.utils.top_saved_tensors_hooks", "compare hooks on saved tensors", _NO_CHECK
)
HOOKS_INLINED: Final = Probe(
    "torch._functorch._aot_autograd.utils.saved_tensors_hooks_are_inlineable",
    "compare hooks on saved tensors",
    _NO_CHECK,
)
FUNCTORCH_STATE: Final = Probe(
    "torch._functorch.pyfunctorch.compare_functorch_state", "compare functorch transforms", _NO_CHECK
)
FUNCTORCH_STACK: Final = Probe(
    "torch._functorch.pyfunctorch.retrieve_all_functorch_interpreters",
    "tell which functorch transforms are active",
    "of a guard on functorch transforms `why` does not say which are active",
)
FUNCTORCH_STATE_OF: Final = Probe(
    "FuncTorchInterpreter.get_state",
    "tell which functorch transforms are active",
    "of a guard on functorch transforms `why` does not say which are active",
)
OVERLAPPING: Final = Probe(
    "torch._C._dynamo.guards.compute_overlapping_tensors", "compare which tensors share memory", _NO_CHECK
)
DICT_VERSION: Final = Probe("torch._C._dynamo.guards.dict_version", "tell whether a dict was changed", _NO_CHECK)
NO_TORCH_FUNCTION: Final = Probe("torch._C.DisableTorchFunction", "read tensors as Dynamo's guards do", _NO_CHECK)
SHAPE_FUNCTIONS: Final = Probe(
    "torch.fx.experimental.symbolic_shapes.SYMPY_INTERP", "compute conditions on shapes", _NO_CHECK
)
FROM_NUMPY: Final = Probe("torch._dynamo.guards.from_numpy", "read NumPy arrays as Dynamo's guards do", _NO_CHECK)
FLOAT_TENSOR: Final = Probe("torch._as_tensor_fullprec", "read numbers as Dynamo's guards do", _NO_CHECK)
DATACLASS_FIELDS: Final = Probe(
    "torch._dynamo.utils.dataclass_fields", "read dataclasses as Dynamo's guards do", _NO_CHECK
)
# How mark_dynamic, mark_static and their like leave a mark: no torch has all of these, and no tensor either.
_MARKS: Final = "a tensor that is marked so is taken for one that is not, as torch's own guard takes it"
MARKED: Final = Probe("Tensor._has_dynamo_dim_marking", "tell that a dimension is marked in any way", _MARKS)
SPECIALIZE_FLOAT: Final = Probe(
    "torch._dynamo.config.specialize_float",
    "tell whether a float is a constant because torch is told so",
    "advice on a float does not name this setting",
)
STATE_GUARD: Final = Probe(
    "torch._dynamo.guards.GuardBuilder.GLOBAL_STATE",
    "tell that filters of guards can leave out those on torch's settings",
    "what a filter would leave out is counted without guards on torch's settings",
)
DYNAMIC: Final = Probe("Tensor._dynamo_dynamic_indices", "tell the dimensions that are marked as dynamic", _MARKS)
WEAK_DYNAMIC: Final = Probe(
    "Tensor._dynamo_weak_dynamic_indices", "tell the dimensions that may be marked as dynamic", _MARKS
)
UNBACKED: Final = Probe("Tensor._dynamo_unbacked_indices", "tell the dimensions that are marked as unbacked", _MARKS)
STRICT_UNBACKED: Final = Probe(
    "Tensor._dynamo_strict_unbacked_indices", "tell the dimensions that must stay unbacked", _MARKS
)
STATIC: Final = Probe("Tensor._dynamo_static_indices", "tell the dimensions that are marked as static", _MARKS)

# ---- compiled_graphs/parametrizations.py -----------------------------------------------------------------------------
PARAMETRIZATIONS: Final = Probe(
    "torch.nn.utils.parametrize._cache",
    "put back what a compared run computes of parametrized tensors",
    "within torch.nn.utils.parametrize.cached(), a compared call can leave the program a tensor without its graph",
)
