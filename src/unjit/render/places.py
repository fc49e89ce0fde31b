"""Places in the user's program, in one line."""

from __future__ import annotations

from pathlib import PurePath

from unjit.model import Maybe, Place, Unknown

_MOST = 60  # characters of the user's line


def where(place: Maybe[Place]) -> str:
    """`models.py:12 in forward: x = self.fc(x)`."""
    if isinstance(place, Unknown):
        return str(place)
    line = "" if isinstance(place.line, Unknown) else f":{place.line}"
    function = "" if isinstance(place.function, Unknown) else f" in {place.function}"
    code = "" if isinstance(place.code, Unknown) else f": {place.code}"
    return f"{PurePath(place.file).name}{line}{function}{code}"


def cause(place: Maybe[Place] | None) -> str:
    """The user's line behind a guard, as a remark; empty where there is none."""
    if place is None or isinstance(place, Unknown) or isinstance(place.code, Unknown):
        return ""
    code = place.code if len(place.code) <= _MOST else f"{place.code[: _MOST - 1]}…"
    return f"  # {code}  ({PurePath(place.file).name}:{place.line})"
