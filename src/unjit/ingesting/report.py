"""The functions that a log tells of. Nothing of them is alive, so what records do not have is unknown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from unjit.bytecode import Definition
from unjit.ingesting.program import NOT_IN_LOG, LoggedProgram
from unjit.model import (
    CompileId,
    Entry,
    Function,
    Message,
    Name,
    Report,
    Status,
    Unknown,
)
from unjit.model.explained.functions import AHEAD, EntryKind
from unjit.observe.listening.recorded_compile import RecordedCompile
from unjit.observe.recorded.compiles import is_made_ahead, outcome, status_without_entries
from unjit.observe.recorded.outline import outline

MISSING: Final = Message(
    "it was read from a log that torch wrote without unjit, which has no source, generated code, guards as a tree, or "
    "Inductor's operations before and after fusion; of functions it has the name without classes, and bytecode at "
    "most of resume functions, and of the calls that led to a compile all but the innermost one or two"
)
_AT_THE_END: Final = Unknown(Message("a log does not tell which entries there were at the end"))


def report(program: LoggedProgram, roots: tuple[Name, ...], losses: Iterable[str]) -> Report:
    """All of one log, its functions apart."""
    known = dict.fromkeys((MISSING, *map(Message, losses)))
    return Report("events", program.torch, program.python, roots, (), tuple(known))


class LoggedFunction:
    """What its compiles tell of a function, one after the other, in the order in which they began."""

    def __init__(self, key: Name) -> None:
        self.key = key
        self._definition: Definition | None = None
        self._entries = 0
        self._compiled: RecordedCompile | None = None  # one of those that made an entry
        self._last: RecordedCompile | None = None

    def add(self, recorded: RecordedCompile, compile_id: CompileId) -> tuple[Entry, ...]:
        """The next compile, under this number; the entry that it made, if it made one."""
        self._definition = self._definition or recorded.definition
        self._last = recorded
        if outcome(recorded) != "compiled":
            return ()
        self._compiled = recorded
        self._entries += 1
        return (_entry(self._entries - 1, compile_id, AHEAD if is_made_ahead(recorded) else "cache entry"),)

    def rest(self) -> Function:
        """The function, when all its compiles were added: without them and their entries."""
        return replace(outline(self.key, self._definition, NOT_IN_LOG), status=self._status())

    def _status(self) -> Status:
        found = status_without_entries([one for one in (self._compiled, self._last) if one is not None])
        return Status(_AT_THE_END, None, None) if found.state == "invalidated" else found


def _entry(index: int, compile_id: CompileId, kind: EntryKind) -> Entry:
    """The entry that a compile made; what is in it was not logged."""
    return Entry(
        index=index,
        kind=kind,
        compile_id=compile_id,
        backend=NOT_IN_LOG,
        invalid=None,
        hits=NOT_IN_LOG,
        guards=NOT_IN_LOG,
        code=NOT_IN_LOG,
        graphs=(),
        resume_functions=(),
    )
