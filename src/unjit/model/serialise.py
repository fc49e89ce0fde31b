"""Model to plain data and back, derived from the dataclasses' own annotations.

What an annotation may say: a dataclass, a `Text`, `int`, `float`, `bool`, a `Literal`, `tuple[X, ...]`, and a union of
one of these with `None`, `Unknown` or both. That is enough to read plain data back without tags.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Mapping
from typing import Any

from unjit.model.texts import Text
from unjit.model.unknown import Unknown

_UNKNOWN = "unknown"


def to_plain(value: Any) -> Any:
    """`value` in dictionaries, lists, strings, numbers, booleans and None."""
    if isinstance(value, Unknown):
        return {_UNKNOWN: str(value.reason)}
    if dataclasses.is_dataclass(value):
        return {field.name: to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [to_plain(item) for item in value]
    if isinstance(value, str):
        return str(value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    raise TypeError(f"{type(value).__name__} has no place in the model")


def from_plain(kind: Any, data: Any) -> Any:
    """The value of type `kind` that `to_plain` made `data` of; ValueError if `data` do not fit."""
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return _from_union(typing.get_args(kind), data)
    if origin is typing.Literal:
        return _checked(data in typing.get_args(kind), kind, data)
    if origin is tuple:
        _checked(isinstance(data, list), kind, data)
        return tuple(from_plain(typing.get_args(kind)[0], item) for item in data)
    if dataclasses.is_dataclass(kind):
        return _from_mapping(kind, data)
    if issubclass(kind, Text):
        return kind(_checked(isinstance(data, str), kind, data))
    accepted = (int, float) if kind is float else kind
    return _checked(isinstance(data, accepted), kind, data)


def _from_union(members: tuple[Any, ...], data: Any) -> Any:
    if data is None and type(None) in members:
        return None
    if Unknown in members and isinstance(data, Mapping) and data.keys() == {_UNKNOWN}:
        return Unknown(data[_UNKNOWN])
    (kind,) = (member for member in members if member not in (type(None), Unknown))
    return from_plain(kind, data)


def _from_mapping(kind: Any, data: Any) -> Any:
    hints = field_types(kind)
    _checked(isinstance(data, Mapping) and data.keys() == hints.keys(), kind, data)
    return kind(**{name: from_plain(hint, data[name]) for name, hint in hints.items()})


def _checked(fits: bool, kind: Any, data: Any) -> Any:
    if not fits:
        raise ValueError(f"expected {getattr(kind, '__name__', kind)}, found {str(data)[:80]!r}")
    return data


@functools.cache
def field_types(kind: Any) -> dict[str, Any]:
    """The resolved annotation of each field of a dataclass of the model."""
    return {name: hint for name, hint in typing.get_type_hints(kind).items() if name in kind.__dataclass_fields__}
