"""The graphs of every stage of every compile, as nodes that lie in modules."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from unjit.directory.stable import Stabiliser
from unjit.model import Artifact, Capture, CapturedCompile, FilePath, Maybe, Place, Unknown
from unjit.model.captured.pieces import number_in, without_number
from unjit.render.captures.capture import meaning
from unjit.report.drawings.nesting import nest
from unjit.report.drawings.printed_graph import PrintedNode, read_printed_graph
from unjit.report.drawings.titles import Titles
from unjit.report.ids import Ids

_SAME: Final = 4  # graphs in a row that may be the same text: what a stage has nothing to do for stays as it was

Read = Callable[[str], Maybe[tuple[PrintedNode, ...]]]


def data(capture: Capture, ids: Ids) -> dict[str, Any]:
    """`graphs`: for each its id, origin, its text, and its nodes as rows (`NODE_COLUMNS`), or why there are none."""
    drawn = _Drawn(capture, ids)
    return {"graphs": [drawn.graph(compile_, one) for compile_ in capture.compiles for one in _graphs(compile_)]}


def _graphs(compile_: CapturedCompile) -> Iterator[Artifact]:
    """The graphs of a compile's last attempt."""
    last = max((one.attempt for one in compile_.artifacts), default=0)
    yield from (one for one in compile_.artifacts if one.modules is not None and one.attempt == last)


NODE_COLUMNS: Final = (
    *("name", "kind", "target", "value", "inputs", "first line", "last line", "place", "group"),
    "operation",  # that was taken apart, by its number
)


class _Drawn:
    """The graphs of a capture as data."""

    def __init__(self, capture: Capture, ids: Ids) -> None:
        self._ids = ids
        self._titles = Titles(capture)
        self._folders = Stabiliser(capture.run.folders if capture.run else ())
        self._read: Read = functools.lru_cache(maxsize=_SAME)(read_printed_graph)

    def graph(self, compile_: CapturedCompile, artifact: Artifact) -> dict[str, Any]:
        name = str(artifact.name)
        made: dict[str, Any] = {
            "id": self._ids.text(compile_, name),
            "function": str(compile_.function),
            "compile": self._ids.compile(compile_),
            "name": name,
            "stage": without_number(name),
            "piece": number_in(name),
            "title": self._titles.of(compile_),
            "says": meaning(artifact),
        }
        nodes = artifact.text if isinstance(artifact.text, Unknown) else self._read(artifact.text)
        if isinstance(nodes, Unknown):
            return made | {"unknown": str(nodes.reason)}
        return made | {"text": str(artifact.text), **self._nodes(nodes, artifact)}

    def _nodes(self, nodes: tuple[PrintedNode, ...], artifact: Artifact) -> dict[str, Any]:
        nesting = nest(nodes, artifact.modules if isinstance(artifact.modules, tuple) else None)
        places = _Places(self._ids, self._folders)
        asked = _asked_for(artifact)
        operations = {operation: number for number, operation in enumerate(dict.fromkeys(asked.values()))}
        rows = [
            [*_row(node, places), group, operations.get(asked.get(node.name, ""), -1)]
            for node, group in zip(nodes, nesting.of, strict=True)
        ]
        return {
            "nodes": rows,
            "places": [list(place) for place in places.found],
            "operations": [*operations],
            "groups": [[group.label, group.detail, group.parent] for group in nesting.groups],
        }


def _asked_for(artifact: Artifact) -> dict[str, str]:
    """The operation that nodes stand for, of those that were taken apart, by the names of the nodes."""
    found = artifact.decompositions if isinstance(artifact.decompositions, tuple) else ()
    return {str(name): str(one.operation) for one in found for name in one.nodes}


class _Places:
    """The lines that nodes came from, by number."""

    def __init__(self, ids: Ids, folders: Stabiliser) -> None:
        self._ids = ids
        self._folders = folders
        self._known: dict[Place, int] = {}
        self.found: dict[tuple[str, str, str], int] = {}

    def number(self, place: Maybe[Place]) -> int:
        """The number of a line; -1 where it is unknown."""
        if isinstance(place, Unknown):
            return -1
        if place not in self._known:
            line = self._ids.line(replace(place, file=FilePath(self._folders.full(place.file))))
            told = (str(line), str(place.function), str(place.code))
            self._known[place] = self.found.setdefault(told, len(self.found))
        return self._known[place]


def _row(node: PrintedNode, places: _Places) -> list[Any]:
    at = places.number(node.place)
    return [node.name, node.kind, node.target, node.value, list(node.inputs), node.first, node.last, at]
