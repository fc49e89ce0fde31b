"""Which part of the captured graph a text is about, where a backend cut that into pieces: its modules and lines."""

from __future__ import annotations

import re
from pathlib import PurePath

from unjit.model import Artifact, CapturedCompile, ModuleCall, Unknown
from unjit.model.captured.pieces import half_of, number_in, without_number

_MOST_FILES = 3
_LINE = re.compile(r"^ *# File: (?P<file>.+?):(?P<line>\d+) in ", re.MULTILINE)


def part_of(artifact: Artifact, compile_: CapturedCompile) -> str:
    """`module L['self'].a, train.py:12-14`; empty where the graph is in one piece, or nothing is known of the part."""
    if not _is_in_pieces(artifact, compile_):
        return ""
    graph = compile_.artifact(half_of(artifact.name) or artifact.name) or artifact
    modules = graph.modules if isinstance(graph.modules, tuple) else ()
    text = "" if isinstance(graph.text, Unknown) else str(graph.text)
    return ", ".join([*_modules(modules), *_lines(text)])


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


def _lines(graph: str) -> list[str]:
    """The first and the last line in each file that the text of a graph names."""
    of_file: dict[str, list[int]] = {}
    for match in _LINE.finditer(graph):
        of_file.setdefault(match["file"], []).append(int(match["line"]))
    found = [_span(PurePath(file).name, min(lines), max(lines)) for file, lines in of_file.items()]
    rest = len(found) - _MOST_FILES
    return found if rest <= 0 else [*found[:_MOST_FILES], f"{rest} other file{'s' * (rest > 1)}"]


def _span(file: str, first: int, last: int) -> str:
    return f"{file}:{first}" if first == last else f"{file}:{first}-{last}"
