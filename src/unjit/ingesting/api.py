"""`unjit.ingest`: the capture that a log of torch's trace amounts to."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from unjit.capturing.captured import Captured
from unjit.capturing.ending.page import write_page
from unjit.directory import layout
from unjit.directory.files import DiskFiles, Files, MemoryFiles
from unjit.directory.free import make
from unjit.directory.loader import read_capture
from unjit.directory.stable import Stabiliser
from unjit.directory.writer import Writer
from unjit.errors import UnjitError
from unjit.ingesting.ingest import ingest_log
from unjit.ingesting.logs import find, names
from unjit.ingesting.program import LoggedProgram
from unjit.ingesting.records import LogFile
from unjit.ingesting.report import report
from unjit.model import Capture, Term
from unjit.redaction import redact_files

_LARGEST: Final = 100_000_000  # bytes of a log whose page is made unasked: a page needs all texts in memory


def ingest(
    trace_dir: str | os.PathLike[str], out: str | os.PathLike[str] | None = None, *, redact: bool = False
) -> Captured:
    """What a log holds that torch wrote because `TORCH_TRACE` was set, as `unjit.capture` would have it.

    `trace_dir` is the folder that TORCH_TRACE named, or one log in it; a log may be compressed with gzip, and may be
    cut off. `out` is the directory to be written, which must be empty or not exist yet; without one all is kept in
    memory. A log of one process is the capture; several are its `.processes`, named by their ranks.

    With `redact` it is safe to share, as a capture with `redact` is; the log is then held in memory.

    What a log does not hold is Unknown; `.losses` says what that is, and what could not be read. The program is not
    run, and torch not imported. Raises UnjitError, in one sentence, if there is no log or the directory cannot be used.
    """
    top = None if out is None else Path.cwd() / out
    found = write(find(Path(trace_dir)), top, redact=redact)
    return Ingested(found, top)


def write(logs: list[LogFile], top: Path | None, *, redact: bool = False) -> dict[str, Files]:
    """The captures of some logs by the names of their processes, "" for the top; below `top`, or in memory."""
    if top is not None:
        make(top)
    if redact:
        return {name: _redacted(name, files, top) for name, files in write(logs, None).items()}
    files: dict[str, Files] = {"": MemoryFiles() if top is None else DiskFiles(top)}
    if len(logs) == 1:
        _ingest(logs[0], files[""])
        return files
    named, programs = names(logs), []
    for name, log in zip(named, logs, strict=True):
        files[name] = MemoryFiles() if top is None else DiskFiles(top / layout.PROCESSES / name)
        programs.append(_ingest(log, files[name]))
    _write_top(files[""], named, programs[0])
    return files


def _redacted(name: str, files: Files, top: Path | None) -> Files:
    """What is clean of a capture in memory; processes of logs have names that do not come from the program."""
    target: Files = MemoryFiles() if top is None else DiskFiles(top / layout.PROCESSES / name if name else top)
    inside = tuple(files.folders(layout.PROCESSES))
    redact_files(files, target, "this log", processes=inside)
    if top is not None:
        write_page(target)
    return target


def _ingest(log: LogFile, files: Files) -> LoggedProgram:
    try:
        program = ingest_log(log, files)
    except OSError as error:
        raise UnjitError(f"{log.path} cannot be read to its end: {error.strerror}") from None
    if isinstance(files, DiskFiles) and log.path.stat().st_size <= _LARGEST:
        write_page(files)
    return program


def _write_top(files: Files, processes: list[str], one: LoggedProgram) -> None:
    """The index of a directory in which all captures are those of other processes."""
    capture = Capture(True, report(one, (), ()), (), (), LoggedProgram().run(), tuple(map(Term, processes)))
    Writer(files, Stabiliser(())).write(capture)


class Ingested(Captured):
    """A capture made from logs; its data are read when they are asked for."""

    def __init__(self, files: Mapping[str, Files], directory: Path | None, name: str = "") -> None:
        self.directory = directory
        self._files = files
        self._name = name
        self._read: Capture | None = None

    @property
    def data(self) -> Capture:
        """Everything, as data."""
        if self._read is None:
            found = read_capture(self._files[self._name], str(self.directory or "this capture"))
            self._read = replace(found, processes=tuple(map(Term, self.processes)))
        return self._read

    def file(self, path: str) -> str | None:
        """The text of a file of the directory, also where it is only kept in memory; None if it is not there."""
        return self._files[self._name].read(path)

    @property
    def processes(self) -> dict[str, Captured]:
        """The captures of the logs, where there were several, by the names of their processes."""
        if self._name:
            return {}
        top = self.directory
        folders = {name: None if top is None else top / layout.PROCESSES / name for name in self._files if name}
        return {name: Ingested(self._files, folder, name) for name, folder in folders.items()}
