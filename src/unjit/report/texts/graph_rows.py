"""The rows of a graph's text: each node with the line of the user's program that torch wrote above it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from unjit.artifacts.graph_lines import ends_a_line, node_in, place_in
from unjit.model import Artifact
from unjit.report.texts.links import Row, Tags

_CALL: Final = re.compile(
    r'^\s+(\w+)(?:: "[^"]*")? = ([\w.]+)[(\[]', re.MULTILINE
)  # a node, and what it calls or indexes


def graph_rows(text: str, artifact: str, tags: Tags, callers: Mapping[str, list[str]]) -> Iterator[Row]:
    """The rows that have a node or a line. `callers` has the lines that called the line of a node, by its name."""
    line: list[str] = []
    for at, row in enumerate(text.split("\n")):
        if found := place_in(row):
            line = tags.place(found)
            yield Row(at, at + 1, None, [], line)
        elif ends_a_line(row):
            line = []
        elif name := node_in(row):
            tag = tags.node(artifact, name)
            called = [one for one in callers.get(name, ()) if one not in line]
            yield Row(at, at + 1, f"node={tags.compile}/{artifact}/{name}", [tag] if tag else [], [*line, *called])


def callers_of_nodes(artifact: Artifact | None, tags: Tags) -> dict[str, list[str]]:
    """The lines whose calls led to the line of a node, innermost first, by the node's name; as far as it is known."""
    calls = artifact.calls if artifact is not None and isinstance(artifact.calls, tuple) else ()
    above: list[list[str]] = []  # of each line, its own and those that called it
    found = {}
    for call in calls:
        callers = [] if call.within is None else above[call.within]
        above.append([*tags.place(call.place), *callers])
        found.update(dict.fromkeys(map(str, call.nodes), callers))
    return found


def joint_origins(joint: str, part: str, half: str, tags: Tags) -> dict[str, list[str]]:
    """The node of the joint graph that each node of a forward or backward graph is a copy of, by their tags.

    A copy keeps its name. It is taken for one if both texts call the same under that name.
    """
    calls = dict(_CALL.findall(joint))
    copies = (name for name, called in _CALL.findall(part) if calls.get(name) == called)
    return {tags.post(half, name): [tags.joint(name)] for name in copies}
