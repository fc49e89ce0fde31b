"""Model to plain data and back, derived from the dataclasses' own annotations.

What an annotation may say: a dataclass, a `Text`, `int`, `float`, `bool`, a `Literal`, `tuple[X, ...]`, and a union of
one of these with `None`, `Unknown` or both. That is enough to read plain data back without tags.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from unjit.model.texts import Message, Text
from unjit.model.unknown import Unknown

_UNKNOWN = "unknown"


def to_plain(value: Any, text: Callable[[Text], str] = str) -> Any:
    """`value` in dictionaries, lists, strings, numbers, booleans and None; `text` says what becomes of a string."""
    if isinstance(value, Text):
        return text(value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, tuple):
        return [to_plain(item, text) for item in value]
    if isinstance(value, Unknown):
        return {_UNKNOWN: text(value.reason)}
    if dataclasses.is_dataclass(value):
        return {name: to_plain(getattr(value, name), text) for name in _field_names(value.__class__)}
    if isinstance(value, str):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no place in the model")


def mapped(value: Any, text: Callable[[Text], Text]) -> Any:
    """`value` with `text` applied to each string in it, reasons of what is unknown included."""
    if isinstance(value, Text):
        return text(value)
    if isinstance(value, tuple):
        return tuple(mapped(item, text) for item in value)
    if isinstance(value, Unknown):
        return Unknown(typing.cast("Message", text(value.reason)))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return value.__class__(**{name: mapped(getattr(value, name), text) for name in _field_names(value.__class__)})
    return value


@functools.cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


def from_plain(kind: Any, data: Any, text: Callable[[Text], Text] | None = None) -> Any:
    """The value of type `kind` that `to_plain` made `data` of; ValueError if `data` do not fit.

    `text` says what becomes of each string of the model.
    """
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return _from_union(typing.get_args(kind), data, text)
    if origin is typing.Literal:
        return _checked(data in typing.get_args(kind), kind, data)
    if origin is tuple:
        _checked(isinstance(data, list), kind, data)
        return tuple(from_plain(typing.get_args(kind)[0], item, text) for item in data)
    if dataclasses.is_dataclass(kind):
        return _from_mapping(kind, data, text)
    if issubclass(kind, Text):
        made = kind(_checked(isinstance(data, str), kind, data))
        return made if text is None else text(made)
    accepted = (int, float) if kind is float else kind
    return _checked(isinstance(data, accepted), kind, data)


def _from_union(members: tuple[Any, ...], data: Any, text: Callable[[Text], Text] | None) -> Any:
    if data is None and type(None) in members:
        return None
    if Unknown in members and isinstance(data, Mapping) and data.keys() == {_UNKNOWN}:
        return Unknown(data[_UNKNOWN])
    (kind,) = (member for member in members if member not in (type(None), Unknown))
    return from_plain(kind, data, text)


def _from_mapping(kind: Any, data: Any, text: Callable[[Text], Text] | None) -> Any:
    hints = field_types(kind)
    _checked(isinstance(data, Mapping) and data.keys() == hints.keys(), kind, data)
    return kind(**{name: from_plain(hint, data[name], text) for name, hint in hints.items()})


def _checked(fits: bool, kind: Any, data: Any) -> Any:
    if not fits:
        raise ValueError(f"expected {getattr(kind, '__name__', kind)}, found {str(data)[:80]!r}")
    return data


@functools.cache
def field_types(kind: Any) -> dict[str, Any]:
    """The resolved annotation of each field of a dataclass of the model."""
    return {name: hint for name, hint in typing.get_type_hints(kind).items() if name in kind.__dataclass_fields__}
