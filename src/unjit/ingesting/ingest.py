"""One log into the files of a capture: its records go the way that those of a live capture go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from unjit.capturing.ending.assemble import left_out, outside_of
from unjit.directory import layout
from unjit.directory.files import Files
from unjit.directory.indexing import Indexing
from unjit.directory.writer import Writer
from unjit.ingesting.ahead_of_time import AheadOfTime
from unjit.ingesting.collecting import LogCollector
from unjit.ingesting.program import LoggedProgram
from unjit.ingesting.records import LogFile
from unjit.ingesting.report import report
from unjit.ingesting.shelf import Shelf
from unjit.ingesting.telling import Teller
from unjit.model import Capture, Unknown
from unjit.observe.listening.recorder import Recorder

_EMPTY: Final = "the log has no record of torch's in it: whether the program compiled anything is not known"


def ingest_log(log: LogFile, files: Files) -> LoggedProgram:
    """Read a log to its end, and write all that it has; what it tells of its program. OSError if it cannot be read."""
    program = LoggedProgram()
    collector = LogCollector(files, program=program)
    recorder = Recorder(listener=collector, live=False)
    shelf = Shelf(recorder, collector)
    ahead = AheadOfTime(collector.file_name)
    for record in map(ahead.joined, log.records()):
        program.learn(record)
        collector.began = program.began or 0.0
        shelf.make_ready(record.metadata)
        recorder.take(record)
    collector.finish()
    writer, index = Writer(files, collector.stable), Indexing(files.read)
    teller = Teller(shelf, collector, len(recorder.runs) - 1)
    teller.tell(writer, index)
    empty = [_EMPTY] if isinstance(program.process, Unknown) and log.cut is None else []
    told = report(program, teller.roots, [*empty, *_losses(log, recorder), *_unnamed(program), *files.losses])
    capture = Capture(True, told, (), left_out(collector), program.run(), (), outside=outside_of(collector))
    writer.write_rest(capture, index, teller.runs)
    files.remove(layout.ORDER)
    return program


def _losses(log: LogFile, recorder: Recorder) -> Iterator[str]:
    if log.cut is not None:
        yield f"the log is cut off: {log.cut}"
    if log.damaged:
        yield f"records of the log that are not as torch wrote them, and are left out: {log.damaged}"
    if log.strange:
        yield f"lines of the log that belong to no record: {log.strange}"
    yield from (f"a record of the log could not be read: {error}" for error in recorder.errors)


def _unnamed(program: LoggedProgram) -> Iterator[str]:
    if program.unnamed:
        yield f"the log lacks the names of {len(program.unnamed)} files, as where its beginning is missing"
