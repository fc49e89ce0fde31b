"""A fact, or why it is not known: what goes wrong in one reader, or in torch, must not cost other facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from unjit.model import Maybe, Message, Unknown
from unjit.model.words.wording import in_words

T = TypeVar("T")


def known(what: str, read: Callable[..., Maybe[T]], *args: Any) -> Maybe[T]:
    """What `read` gives for these arguments; Unknown, with the error, if it raises."""
    try:
        return read(*args)
    except Exception as error:
        return Unknown(Message(f"{what} could not be read: {in_words(error)}"))


def or_else(fallback: T, losses: list[Message], what: str, read: Callable[..., Any], *args: Any) -> T:
    """What `read` gives; where it raises, or does not know, `fallback`, and the reason among the losses."""
    found: Maybe[T] = known(what, read, *args)
    if not isinstance(found, Unknown):
        return found
    losses.append(found.reason)
    return fallback
