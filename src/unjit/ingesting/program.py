"""The program that a log tells of: what the collector and the writer ask about it, as far as the log has it."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from types import CodeType
from typing import Any, Final

from unjit.capturing.collecting.program import NodeOrigins
from unjit.ingesting.records import LogRecord
from unjit.model import (
    Abbreviation,
    Caller,
    CheckTimes,
    Host,
    Maybe,
    Message,
    Run,
    StackFrame,
    Term,
    Unknown,
)
from unjit.torch_private.compiled_graphs.inductor_graph import InductorGraph

NOT_IN_LOG: Final = Unknown(Message("a log of torch's trace does not tell it"))
_NO_VERSION: Final = Term("unknown, not in the log")


class LoggedProgram:
    """Learns from each record; nothing of the process that reads the log gets into what is said of the program."""

    keeps_cached = True

    def __init__(self) -> None:
        self.torch = self.python = _NO_VERSION
        self.process: Maybe[Host] = NOT_IN_LOG
        self.began: float | None = None  # seconds since 1970
        self.unnamed: set[int] = set()  # files that records have by numbers which no record before them explains

    def learn(self, record: LogRecord) -> None:
        """Take versions, the process and the time of the first event from a record. Raises nothing."""
        self.process = Host(str(record.process))
        metadata = record.metadata
        try:
            if self.began is None and "chromium_event" in metadata:
                self.began = float(json.loads(record.payload or "")["ts"]) / 1e6
            elif "artifact" in metadata and metadata["artifact"]["name"] == "torch_version":
                self.torch = Term(str(json.loads(record.payload or "")["pytorch_version"]))
            elif "compilation_metrics" in metadata:
                self._learn_python(metadata["compilation_metrics"])
        except (ValueError, KeyError, TypeError, OverflowError):
            return  # of another shape than torch writes: not known, then

    def _learn_python(self, metrics: Mapping[str, Any]) -> None:
        version = metrics.get("python_version")
        if isinstance(version, str) and version:
            self.python = Term(version.split()[0])

    def run(self) -> Run:
        """What is known of the run, its compiles apart."""
        return Run(
            process=self.process,
            command=NOT_IN_LOG,
            folder=NOT_IN_LOG,
            began=NOT_IN_LOG if self.began is None else Term(_iso(self.began)),
            seconds=NOT_IN_LOG,
            folders=self.folders(),
            environment=NOT_IN_LOG,
            compiles=(),
        )

    def code(self) -> CodeType | None:
        return None

    def stack(self) -> tuple[StackFrame, ...]:
        return ()

    def callers(self) -> tuple[Caller, ...]:
        return ()

    def check_times(self) -> Maybe[CheckTimes]:
        return NOT_IN_LOG

    def thread(self) -> Maybe[Host]:
        return NOT_IN_LOG

    def interned(self, number: Any) -> str | None:
        """None, and counted: the log has no name for this number."""
        if isinstance(number, int):
            self.unnamed.add(number)
        return None

    def origins(self, _text: str) -> NodeOrigins:
        return NodeOrigins(NOT_IN_LOG, NOT_IN_LOG, NOT_IN_LOG)

    def inductor_graph(self) -> InductorGraph | None:
        return None

    def folders(self) -> tuple[Abbreviation, ...]:
        return ()


def _iso(seconds: float) -> str:
    return dt.datetime.fromtimestamp(seconds, tz=dt.timezone.utc).isoformat(timespec="milliseconds")
