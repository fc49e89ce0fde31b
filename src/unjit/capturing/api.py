"""`unjit.capture`: a block in which everything that torch makes of the program is recorded."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import CodeType, TracebackType
from typing import TYPE_CHECKING

from unjit.capturing.captured import Captured
from unjit.capturing.ending.assemble import nothing_yet
from unjit.capturing.job.processes import name_of_rank, prepare
from unjit.capturing.session import Recording
from unjit.errors import UnjitError
from unjit.model import Capture, Message
from unjit.model.words.wording import in_words, with_article
from unjit.starting.joining import JOINING
from unjit.starting.options import Options
from unjit.torch_private.following.fresh import fresh_compiles
from unjit.torch_private.following.undoing import surely

if TYPE_CHECKING:
    from typing_extensions import Self

    from unjit.api.explain import Explanation


def capture(
    directory: str | os.PathLike[str] | None = None,
    *,
    fresh: bool = False,
    overwrite: bool = False,
    redact: bool = False,
) -> Session:
    """Record every compile in a block: `with unjit.capture("out") as session: …`.

    `directory` is made, and gets files as torch makes things; it must be empty or not exist yet, unless `overwrite`
    removes what an older capture left there. Without one nothing is written, and all is kept in memory.

    torch's caches and configuration are used as they are: what comes out of a cache is marked as a hit, and its origin,
    which may be another program, is left out. With `fresh`, the block has caches of its own, so that nothing is
    missing; torch is asked which kernel came from which operation, and to leave its profiler's calls out of the code.

    With `redact`, what is written, and what the session has, is safe to share: source, generated code, paths, host and
    environment, constants and messages are left out, and marked as such (docs/redaction.md). All is kept in memory
    until then.

    Everything is undone at the end of the block, also if it raises. Blocks can nest and follow each other. Raises
    UnjitError if the directory cannot be used.
    """
    if not (directory is None or isinstance(directory, str | os.PathLike)):
        kind = with_article(type(directory).__name__)
        raise UnjitError(f"{kind} is not a directory: unjit.capture takes where to write, as in unjit.capture('out')")
    folder = None if directory is None else Path(directory)
    return Session(folder, fresh=fresh, overwrite=overwrite, redact=redact)


class Session(Captured):
    """A capture that is under way, or has ended: the same data as `unjit.load` gives, at any time."""

    def __init__(
        self, directory: Path | None, *, fresh: bool = False, overwrite: bool = False, redact: bool = False
    ) -> None:
        self.directory = None if directory is None else absolute(directory)
        self._redact = redact
        self._fresh = fresh
        self._overwrite = overwrite
        self._entered = False
        self._recording: Recording | None = None  # None also where it could not be made
        self._read: Capture | None = None
        self._undo = contextlib.ExitStack()
        self._losses: list[Message] = []

    def __enter__(self) -> Self:
        if self._entered:
            raise UnjitError("this capture has begun already: make another with unjit.capture(…)")
        if self.directory is not None:
            _prepare(self.directory, overwrite=self._overwrite)
        self._entered = True
        try:
            if self.directory is not None:
                self._attempt("children do not join", self._let_children_join, self.directory)
            if self._fresh:
                self._undo.enter_context(fresh_compiles())
            self._attempt("nothing is recorded", self._begin)
        except BaseException:
            surely(self._undo.close)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._recording is not None:
            self._attempt("what the block raised", self._recording.ended_by, error)
        self._attempt("the end of the capture", surely, self._undo.close)
        self._read = None

    def _let_children_join(self, directory: Path) -> None:
        self._undo.enter_context(joined_by_children(directory, redact=self._redact))

    def _begin(self) -> None:
        self._recording = Recording(self.directory, redact=self._redact)
        self._undo.callback(_end, self._recording)
        self._recording.begin()

    def _attempt(self, loss: str, step: Callable[..., object], *args: object) -> None:
        """Take a step of the beginning or the end: the block runs, and ends, also if it fails."""
        try:
            step(*args)
        except Exception as error:
            self._losses.append(Message(f"{loss}: {in_words(error)}"))

    @property
    def data(self) -> Capture:
        """Everything: as it is now while the block runs, as it was at its end afterwards."""
        self._begun()
        recording = self._recording
        if recording is not None and recording.is_recording:
            recording.finish(ended=False)
            return self._with_losses(recording.read())
        if self._read is None:
            self._read = self._with_losses(nothing_yet() if recording is None else recording.read())
        return self._read

    def _with_losses(self, capture: Capture) -> Capture:
        """The capture with what was lost at its beginning and its end."""
        report = replace(capture.report, losses=(*capture.report.losses, *self._losses))
        return replace(capture, report=report)

    def file(self, path: str) -> str | None:
        """The text of a file of the directory, also where it is only kept in memory; None if it is not there."""
        self._begun()
        return None if self._recording is None else self._recording.kept.read(path)

    def explain(self) -> Explanation:
        """What is alive of the captured functions now, with handles on it."""
        from unjit.api.explain import explain

        return explain(*self.live_codes())

    def live_codes(self) -> list[CodeType]:
        """The captured functions that are alive, as code objects."""
        self._begun()
        return [] if self._recording is None else self._recording.live_codes()

    def _begun(self) -> None:
        if not self._entered:
            raise UnjitError("this capture has not begun: use it as `with unjit.capture(…) as session:`")


def _end(recording: Recording) -> None:
    try:
        recording.stop()
    finally:
        recording.finish()


def _prepare(directory: Path, *, overwrite: bool) -> None:
    try:
        prepare(directory, overwrite=overwrite)
    except UnjitError:
        raise
    except Exception as error:
        raise UnjitError(f"{directory} cannot be used: {in_words(error)}") from error


@contextlib.contextmanager
def joined_by_children(directory: Path, *, redact: bool = False) -> Iterator[None]:
    """Let every Python that is started in this block join the capture, if it comes to compile something."""
    options = Options(out=str(directory), joins=True, parent=name_of_rank(), redact=redact)
    try:
        JOINING.begin(options)
        yield
    finally:
        surely(lambda: JOINING.end(options))


def absolute(directory: Path) -> Path:
    """The path as it is meant here and now: the program may change its directory."""
    try:
        return directory if directory.is_absolute() else Path.cwd() / directory
    except OSError as error:
        raise UnjitError(f"{directory} cannot be used: there is no current folder ({error.strerror})") from None
