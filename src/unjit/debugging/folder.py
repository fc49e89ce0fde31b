"""The files that a debugger opens."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import sys
import tempfile
import threading
import traceback
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
    names its files in tracebacks from then on. One that the traceback of the program's end names stays.
    A forked child, which counts on by itself, has a folder of its own in it.
    Raises UnjitError if the directory cannot be made.
    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self._lock = threading.Lock()
        self._numbers: Counter[str] = Counter()
        self._process = os.getpid()
        try:
            if path is None:
                path = tempfile.mkdtemp(prefix="unjit-debug-")
                atexit.register(_remove, path, self._process)
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
        own = [] if os.getpid() == self._process else [f"process_{os.getpid()}"]
        return str(self.path.joinpath(*own, *parts))

    def write(self, file: str, text: str) -> None:
        """Store a page under a name that `file` gave. A file of that name is replaced at once, never half."""
        target = Path(file)
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_suffix(".part")
        part.write_text(text, encoding="utf-8")
        part.replace(target)


def _remove(path: str, process: int) -> None:
    """Take away a temporary directory, unless the traceback that Python has just printed leads into it.

    Only the process that made it does: a forked child may end before.
    """
    if os.getpid() != process:
        return
    error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    real = os.path.realpath(path)
    if error is None or not any(file.startswith(f"{real}{os.sep}") for file in _files_of(error)):
        shutil.rmtree(path, ignore_errors=True)
        return
    with contextlib.suppress(Exception):  # stderr may be closed, or the program's own object
        print(f"unjit.debug: the traceback names files in {real}, which stay", file=sys.stderr)


def _files_of(error: BaseException) -> set[str]:
    """The files that a traceback names, with those of the errors behind it."""
    found, pending, met = set(), [error], set()
    while pending:
        one = pending.pop()
        met.add(id(one))
        found |= {frame.f_code.co_filename for frame, _ in traceback.walk_tb(one.__traceback__)}
        pending += [more for more in (one.__cause__, one.__context__) if more is not None and id(more) not in met]
    return found
