"""`unjit.debug`: a block in which what torch.compile makes lies in files that any debugger can open."""

from __future__ import annotations

import os
import pdb  # noqa: F401, T100 (so that it is loaded when debuggers are told from other code)
import sys
import threading
from types import CodeType, TracebackType
from typing import TYPE_CHECKING, Any

from unjit.debugging.codes import Codes
from unjit.debugging.folder import Folder, Stop
from unjit.debugging.stand_ins import StandIns
from unjit.observe.listening import Listening
from unjit.observe.targets import resolve
from unjit.torch_private import trace
from unjit.torch_private.debuggers import leave_debuggers_alone

if TYPE_CHECKING:
    from typing_extensions import Self


def debug(*targets: Any, directory: str | os.PathLike[str] | None = None, quiet: bool = False) -> Debugging:
    """A block in which one can step through what torch.compile makes: `with unjit.debug(function): …`.

    Within it, what is compiled lies in files: decompiled source of generated code and of resume functions, graphs in
    readable form, Inductor's wrappers. The same instructions run as without the block; only their file name and line
    numbers are others. What the targets were compiled to before lies in files, too, until the block ends.

    A target is whatever `unjit.explain` takes; without one, only what is compiled inside the block is prepared.
    `directory` is where the files go; by default a temporary directory that lasts until the process ends. On stderr it
    says which files there are and where a breakpoint makes sense, unless `quiet`; `.stops` has the same as data.

    Raises BadTarget if a target has no Python code.
    """
    return Debugging([resolve(target).code for target in targets], directory, quiet)


class Debugging:
    """The block. `stops` are the places for breakpoints known so far, `problems` what went wrong on our side."""

    def __init__(self, targets: list[CodeType], directory: str | os.PathLike[str] | None, quiet: bool) -> None:
        self._targets = targets
        self._quiet = quiet
        self._lock = threading.RLock()
        self._listening = Listening(self._generated, self._finished, self._failed)
        self._folder = Folder(directory)
        self._codes = Codes(self._folder)
        self._stand_ins = StandIns(self._codes)
        self.stops: list[Stop] = []
        self.problems: list[str] = []

    @property
    def directory(self) -> str:
        """Where the files lie."""
        return str(self._folder.path)

    def __enter__(self) -> Self:
        self._say(f"unjit.debug: while this block lasts, stop in the files in {self.directory}")
        self._debuggers_on = leave_debuggers_alone()
        for target in self._targets:
            for stop in self._stand_ins.put(target):
                self._tell(stop)
        for reason in self._stand_ins.refused:
            self._say(f"unjit.debug: what was compiled before cannot be stepped: {reason}")
        self._listening.begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listening.end()
        self._stand_ins.take_away()
        self._codes.graphs.restore()
        self._debuggers_on()

    def __repr__(self) -> str:
        return f"<unjit.debug: {len(self.stops)} places to stop in {self.directory}>"

    def _generated(self, original: CodeType, generated: CodeType) -> CodeType:
        with self._lock:
            placed, stop = self._codes.place(original, generated, trace.current_compile())
            self._tell(stop)
        return placed

    def _finished(self) -> None:
        with self._lock:
            for stop in self._codes.place_graphs():
                self._tell(stop)

    def _failed(self, error: Exception) -> None:
        problem = f"{type(error).__name__}: {error}"
        if problem not in self.problems:
            self.problems.append(problem)
            self._say(f"unjit.debug: a part has no file: {problem}")

    def _tell(self, stop: Stop) -> None:
        self.stops.append(stop)
        self._say(f"  {stop.what}: break {stop}")

    def _say(self, line: str) -> None:
        if not self._quiet:
            print(line, file=sys.stderr)
