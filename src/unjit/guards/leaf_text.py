"""What a parser of guards gets and gives: a leaf as torch tells it, and its condition in Python."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(slots=True, unsafe_hash=True)  # never changed; `frozen` would make each cost three times as much
class LeafText:
    """A leaf guard as torch tells it."""

    kind: str  # the name of its class
    parts: tuple[str, ...]  # conditions, comments removed
    source: str  # of the value that it is on, in Dynamo's words
    kind_of_value: type | None  # the class of the value that it was made for
    modes: tuple[type, ...] | None = None  # the expected torch function modes, if they are known

    def with_parts(self, parts: tuple[str, ...]) -> LeafText:
        """The same leaf with other conditions."""
        return replace(self, parts=parts)


@dataclass(slots=True, unsafe_hash=True)  # never changed; `frozen` would make each cost three times as much
class Parsed:
    """A condition in Python."""

    check: str  # an expression; `_` is the value
    expected: str  # what it compares with, in a word
    name: str | None = None  # of what it compares with, where torch may print an address alone
