"""The operations that the nodes of a graph call."""

from __future__ import annotations

from typing import Any

from unjit.model import Maybe, Message, Unknown
from unjit.model.words.wording import in_words
from unjit.torch_private.probes.graph_probes import SCHEMA


def name_of_result(operation: Any, number: int) -> Maybe[str]:
    """The name that an operation's schema has for one of its results; `""` if it has none."""
    schema = SCHEMA.of(operation)
    if isinstance(schema, Unknown):
        return schema
    try:
        return str(schema.returns[number].name or "")
    except (AttributeError, IndexError, TypeError) as error:
        return Unknown(Message(f"the schema of {operation} does not tell: {in_words(error)}"))
