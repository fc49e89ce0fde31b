"""Which guards Dynamo's C++ may be asked without the one that made sure what kind of value they are on.

Some of its steps from value to value, and some of its conditions, read memory as if the value had a certain type: on
any other they end the process. The guard on the type stands before them. A guard on a value can only be dropped in
C++ if what is left on the value, and below it up to the next guard on a type, can be asked of anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from unjit.model import Guard, GuardNode
from unjit.torch_private.guard_trees.guards import RawNode

_TELL_TYPE: Final = {"DICT_MANAGER", "TYPE_MATCH", "ID_MATCH", "EQUALS_MATCH", "TENSOR_MATCH"}
_OF_ANYTHING: Final = {"NO_HASATTR", "NOT_NONE", "NONE_MATCH", "TRUE_MATCH", "FALSE_MATCH", "PRESENT"}
_ATTRIBUTE: Final = "GetAttrGuardAccessor"
_OWN_DICT: Final = "GetGenericDictGuardAccessor"  # gives a dict, or nothing where the value has none
_DICT_ITEM: Final = "DictGetItemGuardAccessor"


def may_drop(raw: RawNode, node: GuardNode, dropped: Callable[[Guard], bool]) -> bool:
    """Whether C++ can be asked all guards of a tree but the dropped ones, whatever values it is asked about."""
    children = zip(raw.children, node.children, strict=True)
    if any(map(dropped, node.guards)):
        return _can_be_asked(raw, node, dropped)
    return all(may_drop(child, typed, dropped) for child, typed in children)


def _can_be_asked(raw: RawNode, node: GuardNode, dropped: Callable[[Guard], bool], *, a_dict: bool = False) -> bool:
    """Whether the rest of the guards on a value, and below it, can be asked of any value; or of any dict."""
    kept = [guard.kind for guard in node.guards if not dropped(guard)]
    if kept and kept[0] in _TELL_TYPE:  # what follows it is asked if it holds
        return all(may_drop(child, typed, dropped) for child, typed in zip(raw.children, node.children, strict=True))
    of_this = {*_OF_ANYTHING, *_TELL_TYPE, *({"DICT_CONTAINS"} if a_dict else ())}
    return of_this.issuperset(kept) and all(
        _step(child, a_dict=a_dict) and _can_be_asked(child, typed, dropped, a_dict=_kind(child) == _OWN_DICT)
        for child, typed in zip(raw.children, node.children, strict=True)
    )


def _step(child: RawNode, *, a_dict: bool) -> bool:
    return _kind(child) == _DICT_ITEM if a_dict else _kind(child) in (_ATTRIBUTE, _OWN_DICT)


def _kind(child: RawNode) -> str:
    return child.accessor.partition("(")[0]
