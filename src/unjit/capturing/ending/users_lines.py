"""Guards that did not hold, at the lines of the program that need them where torch names a line of its own.

torch names the innermost line of a stack, which lies in torch where a module of torch's own was called. The records of
the compile that made the entry have the whole stack.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from unjit.capturing.collecting.building import Building
from unjit.capturing.collecting.collector import Collector
from unjit.capturing.reading.shapes import KINDS, place_of
from unjit.model import Compile, CompileId, FailedGuard, Maybe, Place, Report, Unknown, known_or

_Line: TypeAlias = tuple[str, Maybe[int]]
_Lines: TypeAlias = dict[_Line, set[Place]]  # of torch's own: the program's that called them


def with_users_lines(report: Report, collector: Collector, of: Mapping[CompileId, Building]) -> Report:
    """The report with the lines of the program that a compile tells of; where several are possible it stays torch's."""
    home = getattr(sys.modules.get("torch"), "__file__", None)
    if home is None:
        return report
    torch = f"{Path(home).parent}{os.sep}"
    read = _Reading(collector, torch, {_entry(compile_id): building for compile_id, building in of.items()})
    functions = (
        function
        if isinstance(function.compiles, Unknown)
        else replace(function, compiles=tuple(map(read.compile, function.compiles)))
        for function in report.functions
    )
    return replace(report, functions=tuple(functions))


_Entry: TypeAlias = tuple[int, str]  # the resets since, and the number as torch's reasons name an entry


def _entry(compile_id: CompileId) -> _Entry:
    return compile_id.resets, str(replace(compile_id, resets=0))


class _Reading:
    """The records of compiles, each read when the first guard of its entry asks for it."""

    def __init__(self, collector: Collector, torch: str, buildings: Mapping[_Entry, Building]) -> None:
        self._file_of = collector.file_name
        self._torch = torch
        self._buildings = buildings
        self._lines: dict[_Entry, _Lines] = {}

    def compile(self, one: Compile) -> Compile:
        failed = known_or(one.failed_guards, ())
        if not failed or isinstance(one.compile_id, Unknown):
            return one
        resets = one.compile_id.resets
        return replace(one, failed_guards=tuple(self._guard(guard, resets) for guard in failed))

    def _guard(self, guard: FailedGuard, resets: int) -> FailedGuard:
        cause = guard.cause
        if not isinstance(cause, Place) or not cause.file.startswith(self._torch):
            return guard
        found = self._lines_of((resets, str(guard.entry))).get((cause.file, cause.line), set())
        return replace(guard, cause=next(iter(found))) if len(found) == 1 else guard

    def _lines_of(self, entry: _Entry) -> _Lines:
        if entry not in self._lines:
            building = self._buildings.get(entry)
            self._lines[entry] = {} if building is None else self._read(building)
        return self._lines[entry]

    def _read(self, building: Building) -> _Lines:
        found: _Lines = {}
        for kind, record in building.facts:
            stack = [place_of(frame, self._file_of) for frame in record.get("user_stack") or () if kind in KINDS]
            own = next((place for place in reversed(stack) if not place.file.startswith(self._torch)), None)
            if own is not None:
                found.setdefault((stack[-1].file, stack[-1].line), set()).add(own)
        return found
