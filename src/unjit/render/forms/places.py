"""Places in the user's program, in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

from unjit.model import Maybe, Place, Unknown
from unjit.model.places import UNNAMED
from unjit.render.forms.printable import on_one_line

_MOST = 60  # characters of the user's line


def where(place: Maybe[Place]) -> str:
    """`models.py:12 in forward: x = self.fc(x)`."""
    if isinstance(place, Unknown):
        return str(place)
    line = "" if isinstance(place.line, Unknown) else f":{place.line}"
    function = "" if isinstance(place.written_in, Unknown) else f" in {place.written_in}"
    code = "" if isinstance(place.code, Unknown) else f": {place.code}"
    return f"{file_name(place)}{line}{function}{code}"


def full(place: Place) -> str:
    """`/home/ada/models.py:12`; without the line where nothing tells it."""
    return on_one_line(place.file) + ("" if isinstance(place.line, Unknown) else f":{place.line}")


def defined(place: Place, mark: Callable[[str], str] = str) -> str:
    """`defined in /home/ada/models.py:12`, with the place marked as such, or that nothing tells where."""
    return "of which nothing tells where it is defined" if place.file == UNNAMED else f"defined in {mark(full(place))}"


def file_name(place: Place) -> str:
    """The last part of its path; of a graph's code, which torch says is from another place, the graph's own name."""
    return on_one_line(PurePath(without_origin(place.file)).name)


def without_origin(file: str) -> str:
    """The file of a graph's code without the place that torch says it is from; any other file as it is."""
    return file.partition(" from ")[0] if file.startswith("<eval_with_key>") else file


def cause(place: Maybe[Place] | None) -> str:
    """The user's line behind a guard, as a remark; empty where there is none."""
    if place is None or isinstance(place, Unknown) or isinstance(place.code, Unknown):
        return ""
    code = place.code if len(place.code) <= _MOST else f"{place.code[: _MOST - 1]}…"
    return f"  # {code}  ({file_name(place)}:{place.line})"
