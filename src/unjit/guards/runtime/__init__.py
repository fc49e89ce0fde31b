"""What generated guard functions call where Python has no word for a condition.

Each function says in Python what one of Dynamo's guards says in C++, and nothing more. They are plain functions, so
that the source of `entry.guards.source` can be run, changed and stepped through in the process that it was made in:
addresses mean objects of that process.
"""

from __future__ import annotations

from unjit.guards.runtime.answers import ask_torch, guard_function, unreadable
from unjit.guards.runtime.reaching import (
    as_tensor,
    count_left,
    current_stream,
    dataclass_fields,
    float_tensor,
    function_mode,
    gradient,
    item,
    key_at,
    range_left,
    referent,
    rest_of,
    value_at,
)
from unjit.guards.runtime.settings import (
    default_device_is,
    dual_level_is,
    function_modes_are,
    functorch_transforms_are,
    global_state_is,
    no_functorch_transform,
    plain_reading,
    readable_state,
    saved_tensor_hooks_are,
    shape_function,
)
from unjit.guards.runtime.tensors import (
    ANY,
    are_different,
    dict_unchanged,
    dispatch_keys_are,
    is_tensor_like,
    marked_within,
    memory_is_shared,
    ordinary_keys,
    unmarked,
)
from unjit.guards.runtime.values import (
    dict_of,
    has_attribute,
    has_key,
    has_member,
    is_exactly,
    is_nan,
    is_there,
    keys_view,
    named,
    same_object,
    same_value,
)
from unjit.torch_private.guard_trees.state import MARKED, MARKS

__all__ = [
    "ANY",
    "MARKED",
    "MARKS",
    "are_different",
    "as_tensor",
    "ask_torch",
    "count_left",
    "current_stream",
    "dataclass_fields",
    "default_device_is",
    "dict_of",
    "dict_unchanged",
    "dispatch_keys_are",
    "dual_level_is",
    "float_tensor",
    "function_mode",
    "function_modes_are",
    "functorch_transforms_are",
    "global_state_is",
    "gradient",
    "guard_function",
    "has_attribute",
    "has_key",
    "has_member",
    "is_exactly",
    "is_nan",
    "is_tensor_like",
    "is_there",
    "item",
    "key_at",
    "keys_view",
    "marked_within",
    "memory_is_shared",
    "named",
    "no_functorch_transform",
    "ordinary_keys",
    "plain_reading",
    "range_left",
    "readable_state",
    "referent",
    "rest_of",
    "same_object",
    "same_value",
    "saved_tensor_hooks_are",
    "shape_function",
    "unmarked",
    "unreadable",
    "value_at",
]
