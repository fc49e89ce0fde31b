"""What a value is: which object, of which class and value, with which members."""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Iterable
from types import MappingProxyType
from typing import Any

from unjit.guards.runtime.reaching import plain


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
    return isinstance(value, (dict, MappingProxyType)) and plain(value).__contains__(key)


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


def is_there(value: object) -> bool:  # noqa: ARG001  (reading it is the question)
    """True of whatever could be read: a key or attribute that is missing raises before this is called."""
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
