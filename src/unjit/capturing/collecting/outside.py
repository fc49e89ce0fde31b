"""Texts that belong to no compile of Dynamo's: what AOTInductor makes, and Inductor where a program calls it itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from unjit.capturing.reading.cache_records import is_look_up, read_cache_record
from unjit.directory import layout
from unjit.directory.files import Files
from unjit.model import Term
from unjit.observe.functions.names import as_identifier

_LINE_BY_LINE: Final = ("fusion", "schedule")  # as torch logs them


class Outside:
    """Gives each text a file, named as torch names its kind."""

    def __init__(self, files: Files, steady: Callable[[str], str]) -> None:
        self._files = files
        self._steady = steady
        self._counts: Counter[str] = Counter()
        self._lines: dict[str, list[str]] = {}  # of logs, until something else comes
        self.paths: list[Term] = []

    def take(self, kind: str, text: str) -> None:
        """One text, or a line of one."""
        if kind in _LINE_BY_LINE:
            self._lines.setdefault(kind, []).append(text)
        elif text:
            self.finish()
            self._write(kind, text)

    def finish(self) -> None:
        """What was logged until now is whole."""
        for kind, lines in self._lines.items():
            self._write(kind, "\n".join(lines) + "\n")
        self._lines.clear()

    def _write(self, kind: str, text: str) -> None:
        path = layout.outside(as_identifier(kind), self._counts[kind])
        self._counts[kind] += 1
        if is_look_up(kind):
            text = read_cache_record(text)
        self._files.write(path, self._steady(text))
        self.paths.append(Term(path))
