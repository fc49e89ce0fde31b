"""`unjit.capture`: a block in which everything that torch makes of the program is recorded."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, TracebackType
from typing import TYPE_CHECKING

from unjit.capturing.captured import Captured
from unjit.capturing.processes import name_of_rank, prepare
from unjit.capturing.session import Recording
from unjit.errors import UnjitError
from unjit.model import Capture
from unjit.torch_private.fresh import fresh_compiles

if TYPE_CHECKING:
    from typing_extensions import Self

    from unjit.api.explain import Explanation


def capture(directory: str | Path | None = None, *, fresh: bool = False, overwrite: bool = False) -> Session:
    """Record every compile in a block: `with unjit.capture("out") as session: …`.

    `directory` is made, and gets files as torch makes things; it must be empty or not exist yet, unless `overwrite`
    removes what an older capture left there. Without one nothing is written, and all is kept in memory.

    torch's caches and configuration are used as they are: what comes out of a cache is marked as a hit, and its origin,
    which may be another program, is left out. With `fresh`, the block has caches of its own, so that nothing is
    missing; torch is asked which kernel came from which operation, and to leave its profiler's calls out of the code.

    Everything is undone at the end of the block, also if it raises. Blocks can nest and follow each other. Raises
    UnjitError if the directory cannot be used.
    """
    return Session(None if directory is None else Path(directory), fresh=fresh, overwrite=overwrite)


class Session(Captured):
    """A capture that is under way, or has ended: the same data as `unjit.load` gives, at any time."""

    def __init__(self, directory: Path | None, *, fresh: bool = False, overwrite: bool = False) -> None:
        self.directory = None if directory is None else Path.cwd() / directory
        self._fresh = fresh
        self._overwrite = overwrite
        self._recording: Recording | None = None
        self._read: Capture | None = None
        self._undo = contextlib.ExitStack()

    def __enter__(self) -> Self:
        if self._recording is not None:
            raise UnjitError("this capture has begun already: make another with unjit.capture(…)")
        if self.directory is not None:
            prepare(self.directory, overwrite=self._overwrite)
        self._recording = Recording(self.directory)
        with contextlib.ExitStack() as undo:
            if self.directory is not None:
                undo.enter_context(joined_by_children(self.directory))
            if self._fresh:
                undo.enter_context(fresh_compiles())
            self._recording.begin()
            self._undo = undo.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        recording = self._begun()
        recording.stop()
        try:
            recording.finish()
        finally:
            self._undo.close()
            self._read = None

    @property
    def data(self) -> Capture:
        """Everything: as it is now while the block runs, as it was at its end afterwards."""
        recording = self._begun()
        if recording.recorder is not None and recording.is_recording:
            recording.finish(ended=False)
            return recording.read()
        if self._read is None:
            self._read = recording.read()
        return self._read

    def file(self, path: str) -> str | None:
        """The text of a file of the directory, also where it is only kept in memory; None if it is not there."""
        return self._begun().files.read(path)

    def explain(self) -> Explanation:
        """What is alive of the captured functions now, with handles on it."""
        from unjit.api.explain import explain

        return explain(*self.live_codes())

    def live_codes(self) -> list[CodeType]:
        """The captured functions that are alive, as code objects."""
        return self._begun().live_codes()

    def _begun(self) -> Recording:
        if self._recording is None:
            raise UnjitError("this capture has not begun: use it as `with unjit.capture(…) as session:`")
        return self._recording


@contextlib.contextmanager
def joined_by_children(directory: Path) -> Iterator[None]:
    """Let every Python that is started in this block join the capture, if it comes to compile something."""
    from unjit.cli.options import Options
    from unjit.cli.run import environment

    before = dict(os.environ)
    added = environment(Options(out=str(directory), joins=True, parent=name_of_rank()))
    os.environ.update(added)
    try:
        yield
    finally:
        for name in ("UNJIT_RUN", "UNJIT_PYTHONPATH", "PYTHONPATH"):
            if name in before:
                os.environ[name] = before[name]
            else:
                os.environ.pop(name, None)
