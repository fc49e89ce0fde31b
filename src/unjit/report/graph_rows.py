"""The rows of a graph's text: each node with the line of the user's program that torch wrote above it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from unjit.report.links import Row, Tags

_FILE: Final = re.compile(r"\s*# File: (?P<file>.+?):(?P<line>\d+) in ")
_NODE: Final = re.compile(r'\s+(?P<name>[a-zA-Z_]\w*)(?:: "[^"]*")? = ')
_NO_LINE: Final = "# No stacktrace found"


def graph_rows(text: str, artifact: str, tags: Tags) -> Iterator[Row]:
    """The rows that have a node or a line."""
    line: list[str] = []
    for at, row in enumerate(text.split("\n")):
        if "# File: " in row and (found := _FILE.match(row)):
            line = [tags.line(found["file"], found["line"])]
            yield Row(at, at + 1, None, [], line)
        elif _NO_LINE in row or " def " in row:
            line = []
        elif node := _NODE.match(row):
            name = node["name"]
            tag = tags.node(artifact, name)
            yield Row(at, at + 1, f"node={tags.compile}/{artifact}/{name}", [tag] if tag else [], line)


def lines_of_nodes(rows: Iterator[Row]) -> dict[str, list[str]]:
    """The lines that nodes came from, by the nodes' tags."""
    return {row.is_[0]: row.from_ for row in rows if row.is_}
