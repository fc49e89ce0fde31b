"""JSON Schema (draft 2020-12) of what `to_plain` makes of the model, derived from the same annotations."""

from __future__ import annotations

import dataclasses
import inspect
import types
import typing
from typing import Any, Final

from unjit.model.plain.serialise import SCHEMA_VERSION, field_types
from unjit.model.texts import Text
from unjit.model.unknown import Unknown

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_PLAIN: Final = {bool: "boolean", int: "integer", float: "number", type(None): "null"}


def schema_of(kind: type, title: str) -> dict[str, Any]:
    """The schema of a file that holds one value of this type, beside the number of the schema version."""
    definitions: dict[str, Any] = {}
    body = _object(kind, definitions)
    return {
        "$schema": _DIALECT,
        "title": title,
        **body,
        "properties": {"schema": {"const": SCHEMA_VERSION}, **body["properties"]},
        "required": ["schema", *body["required"]],
        "$defs": dict(sorted(definitions.items())),
    }


def _object(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    hints = field_types(kind)
    return {
        "description": _doc(kind),
        "type": "object",
        "properties": {name: _of(hint, definitions) for name, hint in hints.items()},
        "required": list(hints),
        "additionalProperties": False,
    }


def _of(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_of(member, definitions) for member in typing.get_args(hint)]}
    if origin is typing.Literal:
        return {"enum": list(typing.get_args(hint))}
    if origin is tuple:
        return {"type": "array", "items": _of(typing.get_args(hint)[0], definitions)}
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    return _named(hint, definitions)


def _named(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """A reference to a type, which is defined when it is met first: a guard's node has such nodes inside."""
    name = kind.__name__
    if name not in definitions:
        definitions[name] = {}
        definitions[name] = _definition(kind, definitions)
    return {"$ref": f"#/$defs/{name}"}


def _definition(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if issubclass(kind, Text):
        return {"description": _doc(kind), "type": "string"}
    if kind is Unknown:
        reason = {"unknown": {"type": "string"}}
        return {
            "description": _doc(kind),
            "type": "object",
            "properties": reason,
            "required": ["unknown"],
            "additionalProperties": False,
        }
    assert dataclasses.is_dataclass(kind), f"{kind} has no place in the model"
    return _object(kind, definitions)


def _doc(kind: Any) -> str:
    """The first sentences of a docstring; empty where dataclasses made it up."""
    text = inspect.cleandoc(kind.__doc__ or "")
    return "" if text.startswith(f"{kind.__name__}(") else " ".join(text.split("\n\n")[0].split())
