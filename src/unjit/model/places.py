"""Where in the user's program something is."""

from __future__ import annotations

from dataclasses import dataclass

from unjit.model.texts import FilePath, Name, UserSource
from unjit.model.unknown import Maybe


@dataclass(frozen=True, slots=True)
class Place:
    """One line of the user's program."""

    file: FilePath
    line: Maybe[int]
    function: Maybe[Name]
    code: Maybe[UserSource]  # the text of the line, without indentation


@dataclass(frozen=True, slots=True)
class StackFrame:
    """A call that was under way: the line that it had come to."""

    place: Place
    of_torch: bool  # the line is torch's own


@dataclass(frozen=True, slots=True)
class Listing:
    """Consecutive lines of a source file."""

    file: FilePath
    first_line: int
    text: UserSource

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()
