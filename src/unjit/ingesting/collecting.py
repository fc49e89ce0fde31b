"""The collector of a log's records, which come without the code that they are of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from unjit.capturing.collecting.building import Building
from unjit.capturing.collecting.collector import MODIFIED, ORIGINAL, Collector
from unjit.capturing.collecting.naming import kind_of
from unjit.capturing.reading.stacks import recorded_stack
from unjit.directory import layout
from unjit.directory.files import Files
from unjit.ingesting.program import LoggedProgram
from unjit.observe.listening.recorded_compile import AHEAD_OF_TIME, CompileKey, RecordedCompile

Record = tuple[RecordedCompile, Mapping[str, Any], str]
_MOST_WAITING: Final = 100  # of a compile whose start is not in the log


class LogCollector(Collector):
    """The collector of a capture, for records that come without the code that they are of.

    The start of a compile names its function, so what comes before waits for it. The bytecode in a log is kept: it is
    all that there is of it.
    """

    def __init__(self, files: Files, program: LoggedProgram) -> None:
        super().__init__(files, program=program)
        self._waiting: dict[CompileKey, list[Record]] = {}

    def take(self, recorded: RecordedCompile | None, metadata: Mapping[str, Any], payload: str) -> None:
        """One record of the log."""
        if recorded is None or self.functions.knows(recorded):
            self._take(recorded, metadata, payload)
            return
        waiting = self._waiting.setdefault(recorded.key, [])
        waiting.append((recorded, metadata, payload))
        if recorded.started or len(waiting) > _MOST_WAITING:
            del self._waiting[recorded.key]
            self._release(waiting)

    def _note(self, building: Building, kind: str, metadata: Mapping[str, Any], payload: str) -> None:
        super()._note(building, kind, metadata, payload)
        if metadata.get(AHEAD_OF_TIME) and not building.stack:
            building.stack = recorded_stack(metadata[AHEAD_OF_TIME], self.file_name, self.named_files)

    def is_awaited(self, key: CompileKey) -> bool:
        """Whether records wait for the start of this compile."""
        return key in self._waiting

    def finish(self) -> None:
        """The log is over: take the records whose start never came."""
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
        kind = kind_of(metadata)
        if recorded is None or not kind.endswith((ORIGINAL, MODIFIED)):
            super().take(recorded, metadata, payload)
            return
        building = self.building(recorded, metadata)
        if kind.endswith(MODIFIED):
            self.files.write(building.file(layout.BYTECODE), self.stable.text(payload))
        elif building.number == 0:
            folder = layout.function_folder(building.function)
            self.files.write(f"{folder}/{layout.ORIGINAL_BYTECODE}", self.stable.text(payload))
