"""The calls in source that stand for one instruction which Python has no syntax for.

`unjit.helpers` has functions of these names that do the same in plain Python; recompiling turns each call back into
its instruction (see `recompiling.helper_calls`).
"""

from __future__ import annotations

from unjit.bytecode import versions as v
from unjit.bytecode.instructions import intrinsics

CELL = "cell_of"  # cell_of(lambda: x): the cell of x itself
ITERATOR = "iterate"  # for y in iterate(it): loop over an iterator without asking it for its iterator
ENTERED = "entered"  # with entered(exit): a context that was entered before, whose exit function this is
SPREAD = "spread"  # spread(f)(positional, named): call f with exactly this tuple and this dict

BUILD_STRING = "build_string"  # build_string(a, b): the text that parts make, some of which no format made

BUILD_MAP = "build_map"  # build_map(key, value, …): a dict whose keys are hashed when all of them are there
# format_with_spec(x, spec): x formatted by a text that no format made; before 3.13 one instruction converts it first.
FORMATS = {-1: "format_with_spec"}
_FORMATS: dict[str, tuple[str, int | None, int | None]] = {"format_with_spec": ("FORMAT_WITH_SPEC", 0, 2)}
if not v.PY313:
    FORMATS |= {
        ord(letter): f"format_{word}_with_spec" for letter, word in (("s", "str"), ("r", "repr"), ("a", "ascii"))
    }
    _FORMATS = {name: ("FORMAT_VALUE", 4 + conversion, 2) for conversion, name in enumerate(FORMATS.values())}

# Name -> (operation, its argument, number of operands), None where both are as many as the call has (of BUILD_MAP the
# argument is half of them). Each leaves one value, as a call does: what it changed.
OPERATIONS: dict[str, tuple[str, int | None, int | None]] = {
    **({"get_iter": ("GET_ITER", 0, 1)} if v.SLOTS_OF_ITERATOR == 1 else {}),  # from 3.15 on it leaves two
    "list_append": ("LIST_APPEND", 1, 2),
    "list_extend": ("LIST_EXTEND", 1, 2),
    "set_add": ("SET_ADD", 1, 2),
    "set_update": ("SET_UPDATE", 1, 2),
    "map_add": ("MAP_ADD", 1, 3),
    "dict_update": ("DICT_UPDATE", 1, 2),
    "dict_merge": ("DICT_MERGE", 1, 2),
    "list_to_tuple": ("CALL_INTRINSIC_1", intrinsics.LIST_TO_TUPLE, 1) if v.PY312 else ("LIST_TO_TUPLE", 0, 1),
    "slice_of": ("BUILD_SLICE", 2, 2),
    "slice_with_step": ("BUILD_SLICE", 3, 3),
    BUILD_STRING: ("BUILD_STRING", None, None),
    BUILD_MAP: ("BUILD_MAP", None, None),
    **_FORMATS,
}
_OF_SEVERAL = ("BUILD_SLICE", "FORMAT_VALUE")  # operations that several helpers stand for
OF_OPERATION = {operation: name for name, (operation, _, _) in OPERATIONS.items() if operation not in _OF_SEVERAL}
OF_OPERATION["LIST_TO_TUPLE"] = "list_to_tuple"  # on every Python: the name that lifting gives it
OF_OPERATION["FOR_ITER"] = ITERATOR
AS_ENTERED = "an entered context"  # a `Helper` of this name stands where a manager would be entered
if v.PY311:  # before, code sets up its blocks itself, so that none is entered inside one
    OF_OPERATION[AS_ENTERED] = ENTERED
HELPERS = (CELL, ITERATOR, ENTERED, SPREAD, *OPERATIONS)
