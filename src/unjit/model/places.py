"""Where in the user's program something is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from unjit.model.plain.brief import Brief
from unjit.model.texts import FilePath, Name, UserSource
from unjit.model.unknown import Maybe, Unknown

_NOT_THE_PROGRAM: Final = re.compile(
    r"/(?:site|dist)-packages/|^<(?:site-)?packages>|^<python>|/lib/python3\.|^<frozen |^<@beartype\("
)
_OF_PYTHON: Final = re.compile(r"^<python>|/lib/python3\.[^/]+/(?!(?:site|dist)-packages/)|^<frozen ")
UNNAMED: Final = FilePath("<unknown>")  # the file of a place where nothing tells it
_RESUMES: Final = re.compile(r"torch_dynamo_resume_in_(?P<of>.+)_at_\d+")  # Dynamo's name for the rest of a function


@dataclass(frozen=True, slots=True)
class Place:
    """One line of the user's program."""

    file: FilePath
    line: Maybe[int]
    function: Maybe[Name]
    code: Maybe[UserSource]  # the text of the line, without indentation

    @property
    def is_of_the_program(self) -> bool:
        """Whether its file is neither Python's own nor of an installed package."""
        return is_of_the_program(self.file)

    @property
    def is_of_python(self) -> bool:
        """Whether its file is one of Python's standard library."""
        return _OF_PYTHON.search(self.file) is not None

    @property
    def written_in(self) -> Maybe[Name]:
        """The function as the program calls it: a line of `f` stays one where Dynamo runs the rest of `f` by itself."""
        resumes = None if isinstance(self.function, Unknown) else _RESUMES.fullmatch(self.function)
        return self.function if resumes is None else Name(resumes["of"])


def is_of_the_program(file: str) -> bool:
    """Whether a file is neither Python's own nor of an installed package."""
    return _NOT_THE_PROGRAM.search(file) is None


@dataclass(frozen=True, slots=True)
class StackFrame:
    """A call that was under way: the line that it had come to."""

    place: Place
    of_torch: bool  # the line is torch's own


@dataclass(frozen=True, slots=True, repr=False)
class Listing(Brief):
    """Consecutive lines of a source file."""

    file: FilePath
    first_line: int
    text: UserSource

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()
