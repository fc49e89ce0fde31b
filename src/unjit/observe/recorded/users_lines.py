"""Guards that did not hold, at the lines of the program that need them, where torch names none or one of its own.

The records of the compile that made the entry have the program's whole stacks. torch names the innermost line of one,
which lies in torch where a module of torch's own was called, and none for the size of a tensor: Dynamo makes a number
of the first that it sees by itself, and lets it vary from the second on. From then on a line of the program fixes it.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from unjit.model import Compile, CompileId, FailedGuard, Function, Maybe, Place, Unknown, known_or
from unjit.observe.guards.printed import readable
from unjit.observe.listening.size_records import SizeRecord
from unjit.observe.messages.failed_guards import innermost
from unjit.observe.recorded.fixed_sizes import fixed_sizes

EntryKey: TypeAlias = tuple[int, str]  # the resets since, and the number as torch's reasons name an entry
Records: TypeAlias = Callable[[EntryKey], Iterable[SizeRecord]]  # of the compile that made an entry
PlaceOf: TypeAlias = Callable[[Mapping[str, Any]], Place]  # of a frame in torch's words
_Line: TypeAlias = tuple[str, Maybe[int]]
_SIZE: Final = re.compile(r"tensor '(?P<what>.+)' size mismatch at index (?P<dimension>\d+)\. expected \d+,")


def entry_of(compile_id: CompileId) -> EntryKey:
    """The entry that a compile made."""
    return compile_id.resets, str(replace(compile_id, resets=0))


def with_users_lines(functions: Iterable[Function], records: Records, place_of: PlaceOf) -> tuple[Function, ...]:
    """Functions with the lines of the program that a compile tells of; where several are possible it stays torch's."""
    home = getattr(sys.modules.get("torch"), "__file__", None)
    read = _Reading(records, place_of, None if home is None else f"{Path(home).parent}{os.sep}")
    return tuple(
        function
        if isinstance(function.compiles, Unknown)
        else replace(function, compiles=tuple(map(read.compile, function.compiles)))
        for function in functions
    )


@dataclass
class _Lines:
    """The program's lines in the records of one compile."""

    callers: dict[_Line, set[Place]] = field(default_factory=dict)  # by torch's own that they called
    fixing: dict[str, Place] = field(default_factory=dict)  # by the size of which they make a number: x.size()[0]


class _Reading:
    """The records of compiles, each read when the first guard of its entry asks for it."""

    def __init__(self, records: Records, place_of: PlaceOf, torch: str | None) -> None:
        self._records = records
        self._place_of = place_of
        self._torch = torch  # its folder; None where it is not there: a log can be read without
        self._lines: dict[EntryKey, _Lines] = {}

    def compile(self, one: Compile) -> Compile:
        failed = known_or(one.failed_guards, ())
        if not failed or isinstance(one.compile_id, Unknown):
            return one
        resets = one.compile_id.resets
        return replace(one, failed_guards=tuple(self._guard(guard, resets) for guard in failed))

    def _guard(self, guard: FailedGuard, resets: int) -> FailedGuard:
        cause, entry = guard.cause, (resets, str(guard.entry))
        if isinstance(cause, Unknown):
            size = _SIZE.match(guard.condition)
            found = size and self._lines_of(entry).fixing.get(f"{size['what']}.size()[{size['dimension']}]")
            return replace(guard, cause=found) if found else guard
        if not self._is_torchs(cause):
            return guard
        callers = self._lines_of(entry).callers.get((cause.file, cause.line), set())
        return replace(guard, cause=next(iter(callers))) if len(callers) == 1 else guard

    def _is_torchs(self, place: Place) -> bool:
        return self._torch is not None and place.file.startswith(self._torch)

    def _lines_of(self, entry: EntryKey) -> _Lines:
        if entry not in self._lines:
            self._lines[entry] = self._read(list(self._records(entry)))
        return self._lines[entry]

    def _read(self, records: list[SizeRecord]) -> _Lines:
        found = _Lines()
        for stack in ([*map(self._place_of, record.stack)] for record in records):
            own = next((place for place in reversed(stack) if not self._is_torchs(place)), None)
            if own is not None:
                found.callers.setdefault((stack[-1].file, stack[-1].line), set()).add(own)
        for source, frames in fixed_sizes(records).items():
            place = innermost([*map(self._place_of, frames)])
            if place is not None:
                found.fixing[readable("", source)] = place
        return found
