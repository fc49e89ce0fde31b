"""Which operations of a graph were taken apart, as a text beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from unjit.artifacts.graph_lines import lines_of_nodes, node_in
from unjit.model import Decomposition, Name, Place


def decompositions_text(file: str, graph: str, found: Sequence[Decomposition]) -> str:
    """Each operation with the line of the program that asked for it and the rows of the graph that stand for it.

    `file` is the name of the graph's own file, `graph` its text.
    """
    places = dict(lines_of_nodes(graph))
    rows = {name: row.partition(";")[0].strip() for row in graph.split("\n") if (name := node_in(row))}
    head = f"Operations that AOTAutograd took apart (decompositions), each with the nodes of {file} in its place."
    return "\n\n".join([head, *("\n".join(_told(one, places, rows)) for one in found)]) + "\n"


def _told(one: Decomposition, places: Mapping[Name, Place], rows: Mapping[str, str]) -> Iterator[str]:
    yield str(one.operation)
    asked = next((places[name] for name in one.nodes if name in places), None)
    if asked is not None:
        yield f"    # File: {asked.file}:{asked.line} in {asked.function}, code: {asked.code}"
    for name in one.nodes:
        yield f"    {rows.get(name, name)}"
