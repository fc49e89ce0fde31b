"""The value of a fact that cannot be had."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeVar, Union

from unjit.model.texts import Message

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Unknown:
    """A fact that cannot be had, and why. It stands where the fact would, in objects, text and JSON alike."""

    reason: Message

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", Message(self.reason))

    def __str__(self) -> str:
        return f"unknown ({self.reason})"


Maybe = Union[T, Unknown]  # noqa: UP007  (a type alias is evaluated, and Python 3.10 cannot `|` a TypeVar)
"""A fact, or why it cannot be had. `None` is another thing: there is nothing to know."""


def known_or(fact: Maybe[T], fallback: U) -> T | U:
    """The fact, or `fallback` where it cannot be had."""
    return fallback if isinstance(fact, Unknown) else fact


def first_unknown(*facts: Maybe[Any]) -> Unknown | None:
    """The first of these that cannot be had; None if all are known."""
    return next((fact for fact in facts if isinstance(fact, Unknown)), None)


LEFT_OUT_BY_REDACTION: Final = Message("left out by redaction")
