"""The whole answer of `unjit.explain` or `unjit run`, as data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from unjit.model.explained.functions import Function
from unjit.model.plain.brief import Brief
from unjit.model.plain.serialise import SCHEMA_VERSION, from_plain, to_plain
from unjit.model.texts import Message, Name, Term

_MOST_KEYS = 20  # of an error


@dataclass(frozen=True, slots=True, repr=False)
class Report(Brief):
    """Everything known about some functions, as data.

    `functions` holds each function once, those that were asked for first; entries name their resume functions by key,
    since a resume function may lead back to itself.
    """

    reader: Literal["live", "events"]
    torch_version: Term
    python_version: Term
    roots: tuple[Name, ...]  # keys of the functions that were asked for
    functions: tuple[Function, ...]
    losses: tuple[Message, ...]  # what could not be read, and why

    def function(self, key: str) -> Function:
        """The function with this key; KeyError if there is none."""
        for function in self.functions:
            if function.key == key:
                return function
        keys = [function.key for function in self.functions]
        more = f" and {len(keys) - _MOST_KEYS:,} more" if len(keys) > _MOST_KEYS else ""
        raise KeyError(f"{key}; the functions are {', '.join(keys[:_MOST_KEYS])}{more}" if keys else key)

    def by_key(self) -> dict[Name, Function]:
        """All functions by their keys, for whoever looks up many."""
        return {function.key: function for function in self.functions}

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries, lists, strings and numbers; an unknown fact is `{"unknown": reason}`."""
        return {"schema": SCHEMA_VERSION, **to_plain(self)}

    def to_json(self, indent: int | None = 2) -> str:
        """`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Report:
        """The inverse of `to_dict`; ValueError if the schema is another or the data do not fit it."""
        if data.get("schema") != SCHEMA_VERSION:
            raise ValueError(f"schema {data.get('schema')!r}; this unjit reads schema {SCHEMA_VERSION}")
        report = from_plain(cls, {key: value for key, value in data.items() if key != "schema"})
        assert isinstance(report, cls)
        return report
