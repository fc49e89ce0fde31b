"""One capture from its beginning to its end: the recorder, the collector and the writer together."""

from __future__ import annotations

import contextlib
import os
import sys
import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import CodeType
from typing import Any, TypeVar

from unjit.capturing.collecting.building import Building
from unjit.capturing.collecting.collector import Collector
from unjit.capturing.collecting.inductor_logs import InductorLogs
from unjit.capturing.ending.assemble import assemble, captured, nothing_yet, read_this_run
from unjit.capturing.ending.page import write_page
from unjit.capturing.job import processes
from unjit.capturing.job.membership import Member
from unjit.collection import collection_paused
from unjit.directory import layout
from unjit.directory.files import DiskFiles, Files, MemoryFiles
from unjit.directory.free import take
from unjit.directory.loader import read_capture
from unjit.directory.writer import Writer
from unjit.errors import BadDirectory
from unjit.model import Capture, Message, Report, went_wrong
from unjit.model.words.wording import in_words, said
from unjit.observe.listening import recorder as recorders
from unjit.observe.listening.recorder import Recorder
from unjit.observe.recorded.outline import read_outline
from unjit.torch_private.following.inductor_logs import listening
from unjit.torch_private.following.undoing import surely

T = TypeVar("T")


class Recording:
    """Records every compile from `begin` to `finish`, into a directory or into memory.

    A process that is one of several writes into a folder of its own. A forked child goes on in its own folder. With
    `redact` all is kept in memory, and what is clean of it goes to the directory.
    """

    def __init__(
        self, top: Path | None, *, joins: bool = False, parent: str | None = None, redact: bool = False
    ) -> None:
        self.top = top
        self.redact = redact
        self._parent = parent  # the rank that started this process, if one did
        self.recorder: Recorder | None = None
        self._ended: Report | None = None  # what was said at the end
        self._collect_anew(joins=joins or processes.is_one_of_many())
        self._undo = contextlib.ExitStack()

    def begin(self, after_compile: Callable[[], None] | None = None) -> None:
        """Record from here on."""
        try:
            self.recorder = recorders.start(after_compile, self.collector)
            self._listen_to_logs(self.recorder)
            _recordings.add(self)
        except BaseException:
            self.stop()
            raise

    def _listen_to_logs(self, recorder: Recorder) -> None:
        try:
            self._undo.enter_context(listening(InductorLogs(recorder.on_log)))
        except Exception as error:
            recorder.lose(f"Inductor's logs are not read: {in_words(error)}")

    def ended_by(self, error: BaseException | None) -> None:
        """Keep what the block or the program raised, if it raised; the way out by SystemExit is none."""
        if error is None or isinstance(error, (SystemExit, GeneratorExit)):
            return
        name, text = type(error).__name__, said(error)
        self.collector.raised = Message(f"{name}: {went_wrong(text)}" if text else name)

    def stop(self) -> None:
        """Stop recording; what was recorded stays. No step that fails keeps the others from being taken."""
        failed = None
        for step in (self._forget, self._member.finish, self._undo.close, self._stop_recorder):
            try:
                surely(step)
            except BaseException as error:
                failed = error
        if failed is not None:
            raise failed

    def _forget(self) -> None:
        _recordings.discard(self)

    def _stop_recorder(self) -> None:
        if self.recorder is not None:
            self.recorder.stop()

    def finish(self, *, ended: bool = True) -> Report | None:
        """Write all that is known now, and give what is to be said about it. Nothing that goes wrong here is raised.

        What is known at the end is written once: later, as when multiprocessing ends, less of it is alive.
        """
        if self._ended is not None:
            return self._ended
        if self.recorder is None or (self._joins and not self.collector.compiles and not self.collector.outside.paths):
            return None  # a process that compiled nothing leaves no trace in another's directory
        report = nothing_yet().report
        try:
            with collection_paused():  # a full collection takes longer than all that is done here
                if ended:
                    self._member.finish()
                self.collector.write_sources(self.recorder.note)
                found = assemble(self.collector, self.recorder, tuple(self.kept.folders(layout.PROCESSES)))
                report = found.report
                self._write(replace(found, finished=ended))
                self._member.write()
                if ended:
                    self._remove_order()
        except Exception as error:
            self.recorder.note(error)
        report = replace(report, losses=self._losses(report))
        self._ended = report if ended else None
        return report

    def _remove_order(self) -> None:
        """It is in `run.json` now; the file also said that a capture lasts."""
        self.files.remove(layout.ORDER)
        self.kept.remove(layout.ORDER)

    def _write(self, capture: Capture) -> None:
        written: dict[str, Any] = {}
        writer = Writer(self.files, self.collector.stable, written)
        writer.write(capture)
        self._redact()
        if self.top is not None and capture.finished:
            write_page(self.kept, None if self.redact else written)
        if self._with_losses(capture) != capture:  # on the way
            writer.write_index(self._with_losses(capture))
            self._redact()

    def read(self) -> Capture:
        """All that was written, and what went wrong with that."""
        try:
            return self._with_losses(read_capture(self.kept, str(self.top or "this capture")))
        except BadDirectory:
            return self._with_losses(nothing_yet())

    def _with_losses(self, capture: Capture) -> Capture:
        return replace(capture, report=replace(capture.report, losses=self._losses(capture.report)))

    def _losses(self, report: Report) -> tuple[Message, ...]:
        """All that is known to be lost by now."""
        errors = [] if self.recorder is None else self.recorder.errors
        late = [*(f"the recorder failed: {error}" for error in errors), *self.kept.losses]
        return tuple(dict.fromkeys([*report.losses, *map(Message, late)]))

    def unwritten(self, path: str) -> Path | None:
        """Where a file should be of which the disk did not take the last version; None if it is as it should be."""
        if self.top is None or not isinstance(self.kept, DiskFiles) or not self.kept.lacks(path):
            return None
        try:
            return self.kept.top / path
        except OSError:  # not even a folder for this process could be made
            return self.top / layout.PROCESSES if self._joins else self.top

    def in_child(self) -> None:
        """After a fork, in the child: go on in a folder of its own, without what the parent did."""
        assert self.recorder is not None, "only recordings that have begun are told"
        self._parent = self._parent or processes.name_of_rank()  # both are still as the parent has them
        self._member.finish()  # the parent's file is not ours
        self._collect_anew(joins=True)
        self.recorder.begin_anew(self.collector)

    @property
    def is_recording(self) -> bool:
        """Whether compiles are still being recorded."""
        return self in _recordings

    def live_codes(self) -> list[CodeType]:
        """The original code objects of the captured functions that are alive."""
        compiles = self.recorder.compiles if self.recorder is not None else []
        found = (one.original() for one in compiles if one.original is not None)
        return list({id(code): code for code in found if code is not None}.values())  # equal ones are not the same

    def _collect_anew(self, *, joins: bool) -> None:
        """Begin with nothing collected: in a folder of this process's own if it `joins` others.

        `kept` is what everybody may see: all that is written, or what is clean of it.
        """
        self._joins, self._begun = joins, False
        self._ended = None
        self.kept: Files = MemoryFiles() if self.top is None else DiskFiles(self._claim if joins else self._take)
        self.files: Files = MemoryFiles() if self.redact else self.kept
        self._member = Member(self.kept, self._clean, of_rank=self._parent is not None)
        self.collector = Collector(self.files, self._wrote, made=self._member.made)

    def _claim(self) -> Path:
        assert self.top is not None, "only files on a disk need a folder"
        return processes.claim(self.top, self._parent, by_name=not self.redact)

    def _take(self) -> Path:
        assert self.top is not None, "only files on a disk need a folder"
        return take(self.top)

    def _redact(self) -> None:
        """Where that was asked for, write what is clean of all that is known."""
        if self.redact:
            from unjit.redaction import redact_files

            inside = tuple(self.kept.folders(layout.PROCESSES))
            redact_files(self.files, self.kept, "this capture", processes=inside)

    def _clean(self, value: T) -> T:
        """A value of the model as everybody may see it."""
        if not self.redact:
            return value
        from unjit.redaction import Redactor

        return Redactor().redacted(value)

    def _write_beginning(self) -> None:
        """Which run this is, and that nothing is known yet."""
        run = self._clean(read_this_run(self.collector, 0))
        writer = Writer(self.kept, self.collector.stable)
        writer.write_run(run, run.compiles)
        writer.write_index(self._clean(nothing_yet()))

    def _wrote(self, building: Building) -> None:
        """A compile has ended: its data go to its folder, for the case that nothing more will."""
        writer = Writer(self.files, self.collector.stable)
        if not self._begun:
            self._begun = True
            self._write_beginning()
            self._finish_with_multiprocessing()
        writer.write_compile(captured(building, self.collector))
        if building.number == 0:
            writer.write_outline(read_outline(building.function, building.recorded))
        if self.redact:
            from unjit.redaction import redact_compile

            redact_compile(self.files, self.kept, building.path)
        self._member.write()

    def _finish_with_multiprocessing(self) -> None:
        """A child that multiprocessing made ends without Python's functions at the exit, but with its own."""
        util = sys.modules.get("multiprocessing.util")
        if self._joins and util is not None:
            util.Finalize(None, self.finish, exitpriority=0)


_recordings: weakref.WeakSet[Recording] = weakref.WeakSet()


def _after_fork() -> None:
    for recording in list(_recordings):
        try:
            recording.in_child()
        except Exception as error:  # Python would print it
            if recording.recorder is not None:
                recording.recorder.note(error)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
