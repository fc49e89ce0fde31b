"""Which part of the captured graph a text is about, where a backend cut that into pieces: its modules and lines."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from unjit.artifacts.graph_lines import lines_of_nodes
from unjit.model import Artifact, CapturedCompile, FilePath, ModuleCall, Place, Unknown
from unjit.model.pieces import half_of, number_in, without_number

_MOST_FILES = 3


def part_of(artifact: Artifact, compile_: CapturedCompile) -> str:
    """`module L['self'].a, train.py:12-14`; empty where the graph is in one piece, or nothing is known of the part."""
    if not _is_in_pieces(artifact, compile_):
        return ""
    graph = compile_.artifact(half_of(artifact.name) or artifact.name) or artifact
    modules = graph.modules if isinstance(graph.modules, tuple) else ()
    text = "" if isinstance(graph.text, Unknown) else str(graph.text)
    return ", ".join([*_modules(modules), *_lines(place for _, place in lines_of_nodes(text))])


def _is_in_pieces(artifact: Artifact, compile_: CapturedCompile) -> bool:
    if number_in(artifact.name):
        return True
    kind = without_number(artifact.name)
    return any(number_in(one.name) and without_number(one.name) == kind for one in compile_.artifacts)


def _modules(calls: tuple[ModuleCall, ...]) -> list[str]:
    """The first and the last whose nodes are in the graph."""
    paths = list(dict.fromkeys(str(call.path) for call in calls if call.nodes))
    if len(paths) < 2:
        return [f"module {path}" for path in paths]
    return [f"modules {paths[0]} … {paths[-1]}"]


def _lines(places: Iterable[Place]) -> list[str]:
    """The first and the last line in each file."""
    of_file: dict[FilePath, list[int]] = {}
    for place in places:
        if isinstance(place.line, int):
            of_file.setdefault(place.file, []).append(place.line)
    found = [_span(PurePath(file).name, min(lines), max(lines)) for file, lines in of_file.items()]
    rest = len(found) - _MOST_FILES
    return found if rest <= 0 else [*found[:_MOST_FILES], f"{rest} other file{'s' * (rest > 1)}"]


def _span(file: str, first: int, last: int) -> str:
    return f"{file}:{first}" if first == last else f"{file}:{first}-{last}"
