"""The files that a debugger opens."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from unjit.errors import UnjitError


@dataclass(frozen=True)
class Stop:
    """A place where a breakpoint makes sense."""

    what: str  # "f, compile 0", "f, compile 0, backward"
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Folder:
    """A directory of pages, with the files where a capture has them.

    Without a path it is a temporary one, which lasts until the process ends: what was compiled while it was in use
    names its files in tracebacks from then on. Raises UnjitError if the directory cannot be made.
    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self._lock = threading.Lock()
        self._numbers: Counter[str] = Counter()
        try:
            if path is None:
                path = tempfile.mkdtemp(prefix="unjit-debug-")
                atexit.register(shutil.rmtree, path, ignore_errors=True)
            self.path = Path(path).resolve()
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            where = "the folder for temporary files" if path is None else path
            raise UnjitError(
                f"{where}: files for a debugger cannot be written there: {error.strerror}; pass another `directory`"
            ) from error

    def number(self, kind: str) -> int:
        """The next number of its kind, from 0."""
        with self._lock:
            self._numbers[kind] += 1
            return self._numbers[kind] - 1

    def file(self, *parts: str) -> str:
        """The full name of a file in it."""
        return str(self.path.joinpath(*parts))

    def write(self, file: str, text: str) -> None:
        """Store a page under a name that `file` gave. A file of that name is replaced at once, never half."""
        target = Path(file)
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_suffix(".part")
        part.write_text(text, encoding="utf-8")
        part.replace(target)
