"""One log into the files of a capture: its records go the way that those of a live capture go."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from unjit.capturing.assemble import join, run_of
from unjit.capturing.collector import Collector
from unjit.capturing.naming import kind_of
from unjit.directory import layout
from unjit.directory.files import Files
from unjit.directory.writer import Writer
from unjit.ingesting.program import LoggedProgram
from unjit.ingesting.records import LogFile, LogRecord
from unjit.ingesting.report import read_functions, report
from unjit.model import Capture, Message
from unjit.observe.recorder import RecordedCompile, Recorder

Record = tuple[RecordedCompile, Mapping[str, Any], str]
_MOST_WAITING: Final = 100  # of a compile whose start is not in the log
_BYTECODE: Final = {"_ORIGINAL_BYTECODE": True, "_MODIFIED_BYTECODE": False}


class LogCollector(Collector):
    """The collector of a capture, for records that come without the code that they are of.

    The start of a compile names its function, so what comes before waits for it. The bytecode in a log is kept: it is
    all that there is of it.
    """

    def __init__(self, files: Files, around: LoggedProgram) -> None:
        super().__init__(files, around=around)
        self._waiting: dict[int, list[Record]] = {}

    def take(self, recorded: RecordedCompile | None, metadata: Mapping[str, Any], payload: str) -> None:
        """One record of the log."""
        if recorded is None or self.knows_function(recorded):
            self._take(recorded, metadata, payload)
            return
        waiting = self._waiting.setdefault(id(recorded), [])
        waiting.append((recorded, metadata, payload))
        if recorded.started or len(waiting) > _MOST_WAITING:
            del self._waiting[id(recorded)]
            self._release(waiting)

    def finish(self) -> None:
        """The log is over: take what waited in vain."""
        for waiting in list(self._waiting.values()):
            self._release(waiting)
        self._waiting.clear()

    def _release(self, waiting: list[Record]) -> None:
        """Take the start first, and then the rest in its order."""
        recorded, metadata, _ = waiting[-1]
        self.building(recorded, metadata)
        for record in waiting:
            self._take(*record)

    def _take(self, recorded: RecordedCompile | None, metadata: Mapping[str, Any], payload: str) -> None:
        original = next((_BYTECODE[end] for end in _BYTECODE if kind_of(metadata).endswith(end)), None)
        if original is None or recorded is None:
            super().take(recorded, metadata, payload)
            return
        building = self.building(recorded, metadata)
        if not original:
            self.files.write(building.file(layout.BYTECODE), self.stable.text(payload))
        elif building.number == 0:
            folder = layout.function_folder(building.function)
            self.files.write(f"{folder}/{layout.ORIGINAL_BYTECODE}", self.stable.text(payload))


def ingest_log(log: LogFile, files: Files) -> Capture:
    """Read a log to its end, and write all that it has. OSError if it cannot be read."""
    program = LoggedProgram()
    collector = LogCollector(files, around=program)
    recorder = Recorder(listener=collector, live=False)
    for record in log.records():
        program.learn(record)
        collector.began = program.began or 0.0
        recorder.emit(_as_logged(record))
    collector.finish()
    resets = len(recorder.runs) - 1
    functions = read_functions(collector.compiles, resets)
    losses = (Message(text) for text in _losses(log, recorder))
    run = replace(program.run(), compiles=tuple(run_of(one, resets) for one in collector.compiles))
    found = join(collector, report(functions, program.torch, program.python, losses), run, resets, ())
    Writer(files, collector.stable).write(found)
    files.remove(layout.ORDER)
    return found


def _as_logged(record: LogRecord) -> logging.LogRecord:
    made = logging.LogRecord("", logging.DEBUG, "", 0, "", (), None)
    made.metadata, made.payload = record.metadata, record.payload
    return made


def _losses(log: LogFile, recorder: Recorder) -> Iterator[str]:
    if log.cut is not None:
        yield f"the log is cut off: {log.cut}"
    if log.damaged:
        yield f"records of the log that are not as torch wrote them, and are left out: {log.damaged}"
    if log.strange:
        yield f"lines of the log that belong to no record: {log.strange}"
    yield from (f"a record of the log could not be read: {error}" for error in recorder.errors)
