"""The lines of a program in a text: as a traceback names them, and torch in its messages and graphs."""

from __future__ import annotations

import re

from unjit.model.places import Place
from unjit.model.texts import FilePath, Message, Name, UserSource
from unjit.model.unknown import Unknown

_FRAME = re.compile(
    r'\s*File "(?P<file>[^"]*)", line (?P<line>\d+), in (?P<function><[^>]*>|[^\s,]+)(?:, code: (?P<code>.*))?'
)


def places_in(text: str) -> list[Place]:
    """Each `File "…", line …, in …` of a text, with the line of code below it or beside it."""
    lines = text.splitlines()
    found = []
    for index, line in enumerate(lines):
        match = _FRAME.match(line.lstrip("# "))
        if match:
            below = lines[index + 1].strip() if index + 1 < len(lines) else ""
            code = match["code"] or (below if below and not below.startswith("File ") else None)
            found.append(place(match["file"], int(match["line"]), match["function"], code))
    return found


def place(file: str, line: int | None, function: str | None, code: str | None) -> Place:
    """A place of the model from plain values; what is None becomes unknown."""
    return Place(
        FilePath(file),
        Unknown(Message("torch does not say")) if line is None else line,
        Unknown(Message("torch does not say")) if function is None else Name(function),
        Unknown(Message("the file cannot be read")) if code is None else UserSource(code),
    )
