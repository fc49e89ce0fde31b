"""What a log has of aot_compile: which of its records belong to which compile.

torch gives a number to the graph that aot_compile captures, and none to what it does with that graph afterwards. Those
records have the calls that led to them, aot_compile among them; they are of the compile that was captured in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from unjit.capturing.reading.shapes import FileNames
from unjit.ingesting.records import LogRecord
from unjit.observe.listening.recorded_compile import AHEAD_OF_TIME, NUMBERS

_WHOLE: Final = '"name": "fullgraph_capture"'  # the phase around all of it, and around a capture for torch.export
_CAPTURED: Final = '"name": "compile_attempt_0"'
_BEGINS: Final = '"ph": "B"'
_ITS_FUNCTION: Final = "aot_compile_fullgraph"
_ITS_FILE: Final = "/_dynamo/aot_compile.py"


@dataclass(slots=True)
class _Open:
    """A phase that has begun and not ended."""

    numbers: dict[str, Any] | None = None  # of the compile that was captured in it, when one was
    is_ahead: bool = False  # aot_compile's, and not torch.export's


class AheadOfTime:
    """Gives records that aot_compile wrote without a number the one of its compile.

    Where two threads are at it at once, no record tells of which it is: those stay outside of compiles.
    """

    def __init__(self, file_name: FileNames) -> None:
        self._file_name = file_name
        self._open: list[_Open] = []
        self._ended: dict[str, Any] | None = None  # the numbers of what was captured last

    def joined(self, record: LogRecord) -> LogRecord:
        """The record with its compile's number, and under AHEAD_OF_TIME the calls that led to it; else as it is."""
        metadata, payload = record.metadata, record.payload or ""
        is_event = "chromium_event" in metadata
        if is_event and _WHOLE in payload:
            return self._begun_or_ended(record, _BEGINS in payload)
        if "compilation_metrics" in metadata:
            return self._of_what_ended(record)
        if len(self._open) != 1:
            return record
        if "frame_id" not in metadata:
            return self._with_number(record, self._open[0])
        if is_event and _CAPTURED in payload:
            self._open[0].numbers = {name: metadata[name] for name in (*NUMBERS, "attempt") if name in metadata}
        return record

    def _of_what_ended(self, record: LogRecord) -> LogRecord:
        """What it was measured of: metrics of a capture have no number, and come after its phase has ended."""
        numbers, self._ended = self._ended or {}, None
        is_its = "frame_id" not in record.metadata
        return replace(record, metadata={**record.metadata, **numbers}) if is_its else record

    def _begun_or_ended(self, record: LogRecord, begins: bool) -> LogRecord:
        if begins:
            self._open.append(_Open())
            return record
        ended = self._open.pop() if self._open else _Open()
        self._ended = None if self._open else ended.numbers
        return _numbered(record, ended, ()) if ended.is_ahead and not self._open else record

    def _with_number(self, record: LogRecord, around: _Open) -> LogRecord:
        calls = self._calls(record.metadata.get("stack"))
        around.is_ahead = around.is_ahead or bool(calls)
        is_part = bool(calls) or (around.is_ahead and "chromium_event" in record.metadata)  # these have no calls
        return _numbered(record, around, calls) if is_part else record

    def _calls(self, stack: Any) -> Sequence[Mapping[str, Any]]:
        """The calls that led to aot_compile, and its own as the last; empty if it is not among them."""
        try:
            for at, frame in enumerate(stack or ()):
                if frame.get("name") == _ITS_FUNCTION and self._file_name(frame.get("filename")).endswith(_ITS_FILE):
                    return tuple(stack[: at + 1])
        except (AttributeError, TypeError):
            pass  # of another shape than torch writes: where it belongs is not known, then
        return ()


def _numbered(record: LogRecord, around: _Open, calls: Sequence[Mapping[str, Any]]) -> LogRecord:
    if around.numbers is None:  # it raised before it captured anything
        return record
    return replace(record, metadata={**record.metadata, **around.numbers, AHEAD_OF_TIME: calls})
