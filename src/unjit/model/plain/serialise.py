"""Model to plain data and back, derived from the dataclasses' own annotations.

What an annotation may say: a dataclass, a `Text`, `int`, `float`, `bool`, a `Literal`, `tuple[X, ...]`, and a union of
one of these with `None`, `Unknown` or both. That is enough to read plain data back without tags.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from unjit.model.texts import Text
from unjit.model.unknown import Unknown

SCHEMA_VERSION = 15  # of reports and captures as plain data: raised where one made before can't be read any more

_UNKNOWN = "unknown"


def to_plain(value: Any, text: Callable[[Text], Any] = str) -> Any:
    """`value` in dictionaries, lists, strings, numbers, booleans and None; `text` says what becomes of a string."""
    return _writer(value.__class__)(value, text)


def plain_dict(value: Any) -> dict[str, Any]:
    """A dataclass of the model in dictionaries, lists, strings, numbers, booleans and None."""
    found = to_plain(value)
    assert isinstance(found, dict)
    return found


Writer = Callable[[Any, Callable[[Text], Any]], Any]


@functools.cache
def _writer(kind: Any) -> Writer:
    """What makes plain data of values of exactly this class: a class is looked at once, and not for each value."""
    if issubclass(kind, Text):
        return lambda value, text: text(value)
    if issubclass(kind, (type(None), bool, int, float)):
        return lambda value, _text: value
    if issubclass(kind, tuple):
        return lambda value, text: [_writer(item.__class__)(item, text) for item in value]
    if issubclass(kind, Unknown):
        return lambda value, text: {_UNKNOWN: text(value.reason)}
    if dataclasses.is_dataclass(kind):
        return _of_fields(kind)
    if issubclass(kind, str):
        return lambda value, _text: str(value)
    raise TypeError(f"{kind.__name__} has no place in the model")


def _of_fields(kind: Any) -> Writer:
    names = _field_names(kind)
    return lambda value, text: {
        name: _writer(field.__class__)(field, text) for name in names for field in (getattr(value, name),)
    }


def fields_of(value: Any) -> dict[str, Any]:
    """The uppermost level of what `to_plain` makes: for an encoder of JSON, which asks about each level by itself."""
    return _taker(value.__class__)(value)


@functools.cache
def _taker(kind: Any) -> Callable[[Any], dict[str, Any]]:
    if issubclass(kind, Unknown):
        return lambda value: {_UNKNOWN: value.reason}
    if dataclasses.is_dataclass(kind):
        return _by_name(kind)
    raise TypeError(f"{kind.__name__} has no place in the model")


def _by_name(kind: Any) -> Callable[[Any], dict[str, Any]]:
    names, values = _field_names(kind), _getter(kind)
    return lambda value: dict(zip(names, values(value), strict=True))


def mapped(value: Any, text: Callable[[Text], Text]) -> Any:
    """`value` with `text` applied to each string in it, reasons of what is unknown included.

    What is not changed by that is not copied: where `text` gives a string itself, the result shares it.
    """
    return _mapper(value.__class__)(value, text)


Mapper = Callable[[Any, Callable[[Text], Text]], Any]


@functools.cache
def _mapper(kind: Any) -> Mapper:
    if issubclass(kind, Text):
        return lambda value, text: text(value)
    if issubclass(kind, tuple):
        return _all_mapped
    if issubclass(kind, Unknown) or dataclasses.is_dataclass(kind):
        return _of_parts(kind)
    return lambda value, _text: value


def _all_mapped(items: tuple[Any, ...], text: Callable[[Text], Text]) -> tuple[Any, ...]:
    """The items mapped; they themselves where nothing changes. Strings, which are the most, are asked for first."""
    new = [text(item) if isinstance(item, Text) else _mapper(item.__class__)(item, text) for item in items]
    return items if all(map(operator.is_, new, items)) else tuple(new)


def _of_parts(kind: Any) -> Mapper:
    values = _getter(kind)

    def of_parts(value: Any, text: Callable[[Text], Text]) -> Any:
        old = values(value)
        new = _all_mapped(old, text)
        return value if new is old else kind(*new)

    return of_parts


def _getter(kind: Any) -> Callable[[Any], tuple[Any, ...]]:
    """What gives all fields at once: half the time of asking for them one by one."""
    names = _field_names(kind)
    get = operator.attrgetter(*names)
    return get if len(names) > 1 else lambda value: (get(value),)


@functools.cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


def from_plain(kind: Any, data: Any, text: Callable[[Text], Text] | None = None) -> Any:
    """The value of type `kind` that `to_plain` made `data` of; ValueError if `data` do not fit.

    `text` says what becomes of each string of the model.
    """
    return _reader(kind)(data, text)


Change = Callable[[Text], Text] | None
Reader = Callable[[Any, Change], Any]


@functools.cache
def _reader(kind: Any) -> Reader:
    """What reads values of this type: annotations are looked at once, and not for each value."""
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return _of_union(typing.get_args(kind))
    if origin is typing.Literal:
        return _of_literal(kind)
    if origin is tuple:
        return _of_tuple(kind)
    if dataclasses.is_dataclass(kind):
        return _of_dataclass(kind)
    if issubclass(kind, Text):
        return _of_text(kind)
    accepted = (int, float) if kind is float else kind
    return lambda data, _text: data if isinstance(data, accepted) else _refuse(kind, data)


def _of_union(members: tuple[Any, ...]) -> Reader:
    (kind,) = (member for member in members if member not in (type(None), Unknown))
    inner, may_be_none, may_be_unknown = _reader(kind), type(None) in members, Unknown in members

    def read(data: Any, text: Change) -> Any:
        if data is None and may_be_none:
            return None
        if may_be_unknown and isinstance(data, Mapping) and data.keys() == {_UNKNOWN}:
            return Unknown(data[_UNKNOWN])
        return inner(data, text)

    return read


def _of_literal(kind: Any) -> Reader:
    allowed = typing.get_args(kind)
    return lambda data, _text: data if data in allowed else _refuse(kind, data)


def _of_tuple(kind: Any) -> Reader:
    inner = _reader(typing.get_args(kind)[0])

    def read(data: Any, text: Change) -> Any:
        return tuple([inner(item, text) for item in data]) if isinstance(data, list) else _refuse(kind, data)

    return read


def _of_dataclass(kind: Any) -> Reader:
    readers: dict[str, Reader] = {}  # filled by the first value: a type may contain itself

    def read(data: Any, text: Change) -> Any:
        if not readers:
            readers.update({name: _reader(hint) for name, hint in field_types(kind).items()})
        if not isinstance(data, Mapping) or data.keys() != readers.keys():
            _refuse(kind, data)
        return kind(**{name: reader(data[name], text) for name, reader in readers.items()})

    return read


def _of_text(kind: Any) -> Reader:
    def read(data: Any, text: Change) -> Any:
        made = kind(data if isinstance(data, str) else _refuse(kind, data))
        return made if text is None else text(made)

    return read


def _refuse(kind: Any, data: Any) -> Any:
    raise ValueError(f"expected {getattr(kind, '__name__', kind)}, found {str(data)[:80]!r}")


@functools.cache
def field_types(kind: Any) -> dict[str, Any]:
    """The resolved annotation of each field of a dataclass of the model."""
    return {name: hint for name, hint in typing.get_type_hints(kind).items() if name in kind.__dataclass_fields__}
