"""Places in the user's program, in one line."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Final

from unjit.model import Maybe, Place, Unknown

_NOT_THE_PROGRAM: Final = re.compile(r"/(?:site|dist)-packages/|^<site-packages>|^<python>|/lib/python3\.|^<frozen ")
_MOST = 60  # characters of the user's line


def is_of_the_program(place: Place) -> bool:
    """Whether its file is neither Python's own nor of an installed package."""
    return _NOT_THE_PROGRAM.search(place.file) is None


def where(place: Maybe[Place]) -> str:
    """`models.py:12 in forward: x = self.fc(x)`."""
    if isinstance(place, Unknown):
        return str(place)
    line = "" if isinstance(place.line, Unknown) else f":{place.line}"
    function = "" if isinstance(place.function, Unknown) else f" in {place.function}"
    code = "" if isinstance(place.code, Unknown) else f": {place.code}"
    return f"{file_name(place)}{line}{function}{code}"


def file_name(place: Place) -> str:
    """The last part of its path; of a graph's code, which torch says is from another place, the graph's own name."""
    file = place.file.partition(" from ")[0] if place.file.startswith("<eval_with_key>") else place.file
    return PurePath(file).name


def cause(place: Maybe[Place] | None) -> str:
    """The user's line behind a guard, as a remark; empty where there is none."""
    if place is None or isinstance(place, Unknown) or isinstance(place.code, Unknown):
        return ""
    code = place.code if len(place.code) <= _MOST else f"{place.code[: _MOST - 1]}…"
    return f"  # {code}  ({file_name(place)}:{place.line})"
