"""The lines of the program that torch names in the text of a graph, above the nodes that came from them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from unjit.model import FilePath, Name, Place, UserSource

COMMENT: Final = re.compile(
    r"^ *# File: (?P<file>.+?):(?P<line>\d+) in (?P<function>.+?), code: ?(?P<code>.*)$", re.MULTILINE
)
NO_LINE: Final = "# No stacktrace found for following nodes"
_NODE: Final = re.compile(r' +(?P<name>[a-zA-Z_]\w*)(?:: "[^"]*")? = ')


def files_in(graph: str) -> set[str]:
    """The files that the nodes of a graph came from."""
    return {match["file"] for match in COMMENT.finditer(graph)} if "# File: " in graph else set()


def place_in(row: str) -> Place | None:
    """The line that a row of the text names; None if it names none."""
    match = COMMENT.match(row) if "# File: " in row else None
    if match is None:
        return None
    file, code = FilePath(match["file"]), UserSource(match["code"].strip())
    return Place(file, int(match["line"]), Name(match["function"]), code)


def ends_a_line(row: str) -> bool:
    """Whether the nodes below this row came from no line that was named above it."""
    return NO_LINE in row or row.lstrip().startswith(("class ", "def "))


def node_in(row: str) -> str | None:
    """The node that a row of the text makes; None if it makes none."""
    match = _NODE.match(row)
    return match["name"] if match is not None else None


def lines_of_nodes(graph: str) -> Iterator[tuple[Name, Place]]:
    """Each node with its line, in the order of the text; those without a line are left out."""
    place: Place | None = None
    for row in graph.split("\n"):
        if found := place_in(row):
            place = found
        elif ends_a_line(row):
            place = None
        elif place is not None and (node := node_in(row)):
            yield Name(node), place
