"""The names that parts of the page, and links to it, have for what a capture holds.

    function   toy
    compile    toy/0                        the compile of this number of the function
    entry      toy/entry_0                  by the order in which entries are tried
    guard      toy/entry_0/7                by the order of `Guards`
    text       toy/0/captured               an artifact of a compile
    node       toy/0/captured/add
    buffer     toy/0/forward/buf0
    kernel     toy/0/forward/cpp_fused_add_0
    line       train.py:12                  a line of the user's program

They are the same in each run of the same program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from unjit.artifacts.graph_lines import files_in
from unjit.directory.stable import Stabiliser
from unjit.model import Capture, CapturedCompile, Entry, Function, Kernel, Place, Unknown

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class Ids:
    """The ids of one capture. Files have the shortest end of their path that no other file has."""

    def __init__(self, capture: Capture) -> None:
        self._labels: dict[str, str] = {}  # by paths with their folder abbreviated
        self._known: dict[str, str] = {}  # by paths as they were asked for
        self._stable = Stabiliser(capture.run.folders if capture.run is not None else ())
        for source in capture.sources:
            self.file(source.file)
        for path in (*_named_by_graphs(capture), *(function.place.file for function in capture.report.functions)):
            self.file(path)

    def file(self, path: str) -> str:
        """The label of a file, whether or not its folder is abbreviated."""
        found = self._known.get(path)
        if found is None:
            stable = self._stable.path(path)
            if stable not in self._labels:
                self._labels[stable] = self._same(stable) or _plain(self._shortest(stable))
            found = self._known[path] = self._labels[stable]
        return found

    def _same(self, path: str) -> str | None:
        """The label of the known file that this path is the end of, if it is one: torch cuts paths."""
        if path.startswith(("/", "<")) or "/" not in path:
            return None
        found = {label for known, label in self._labels.items() if known.endswith(f"/{path}")}
        return found.pop() if len(found) == 1 else None

    def _shortest(self, path: str) -> str:
        parts = PurePosixPath(path.replace("\\", "/")).parts or (path,)
        ends = ("/".join(parts[-count:]).lstrip("/") for count in range(1, len(parts) + 1))
        return next((end for end in ends if end not in self._labels.values()), path)

    def path(self, label: str) -> str:
        """The path of a file, its folder abbreviated, by its label."""
        return next(path for path, of in self._labels.items() if of == label)

    def line(self, place: Place) -> str | None:
        """A line of the user's program; None where the line is unknown."""
        return None if isinstance(place.line, Unknown) else f"{self.file(place.file)}:{place.line}"

    @staticmethod
    def function(function: Function) -> str:
        return _plain(function.key)

    @staticmethod
    def compile(compile_: CapturedCompile) -> str:
        return _plain(f"{compile_.function}/{compile_.number}")

    @classmethod
    def entry(cls, function: Function, entry: Entry) -> str:
        return f"{cls.function(function)}/entry_{entry.index}"

    @classmethod
    def guard(cls, function: Function, entry: Entry, number: int) -> str:
        return f"{cls.entry(function, entry)}/{number}"

    @classmethod
    def text(cls, compile_: CapturedCompile, artifact: str) -> str:
        return cls._within(compile_, artifact)

    @classmethod
    def node(cls, compile_: CapturedCompile, artifact: str, name: str) -> str:
        return cls._within(compile_, artifact, name)

    @classmethod
    def buffer(cls, compile_: CapturedCompile, half: str, name: str) -> str:
        return cls._within(compile_, half, name)

    @classmethod
    def kernel(cls, compile_: CapturedCompile, kernel: Kernel) -> str:
        return cls._within(compile_, kernel.half, kernel.name)

    @classmethod
    def _within(cls, compile_: CapturedCompile, *names: str) -> str:
        return "/".join([cls.compile(compile_), *map(_plain, names)])


def _named_by_graphs(capture: Capture) -> Iterator[str]:
    """The files that nodes came from, whole paths."""
    for compile_ in capture.compiles:
        captured = compile_.artifact("captured")
        if captured is not None and not isinstance(captured.text, Unknown):
            yield from sorted(files_in(captured.text))


def _plain(name: str) -> str:
    """A name without characters that HTML does not keep as they are."""
    return _CONTROL.sub("\ufffd", name)
