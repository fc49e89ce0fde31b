"""Guards that did not hold, at the lines of the program that need them where torch names a line of its own.

torch names the innermost line of a stack, which lies in torch where a module of torch's own was called. The records of
the compile that made the entry have the whole stack.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from unjit.model import Compile, CompileId, FailedGuard, Function, Maybe, Place, Unknown, known_or

EntryKey: TypeAlias = tuple[int, str]  # the resets since, and the number as torch's reasons name an entry
Stacks: TypeAlias = Callable[[EntryKey], Iterable[Sequence[Place]]]  # of the records of the compile that made an entry
_Line: TypeAlias = tuple[str, Maybe[int]]
_Lines: TypeAlias = dict[_Line, set[Place]]  # of torch's own: the program's that called them


def entry_of(compile_id: CompileId) -> EntryKey:
    """The entry that a compile made."""
    return compile_id.resets, str(replace(compile_id, resets=0))


def with_users_lines(functions: Iterable[Function], stacks: Stacks) -> tuple[Function, ...]:
    """Functions with the lines of the program that a compile tells of; where several are possible it stays torch's."""
    home = getattr(sys.modules.get("torch"), "__file__", None)
    if home is None:
        return tuple(functions)
    read = _Reading(stacks, f"{Path(home).parent}{os.sep}")
    return tuple(
        function
        if isinstance(function.compiles, Unknown)
        else replace(function, compiles=tuple(map(read.compile, function.compiles)))
        for function in functions
    )


class _Reading:
    """The records of compiles, each read when the first guard of its entry asks for it."""

    def __init__(self, stacks: Stacks, torch: str) -> None:
        self._stacks = stacks
        self._torch = torch
        self._lines: dict[EntryKey, _Lines] = {}

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

    def _lines_of(self, entry: EntryKey) -> _Lines:
        if entry not in self._lines:
            self._lines[entry] = self._read(self._stacks(entry))
        return self._lines[entry]

    def _read(self, stacks: Iterable[Sequence[Place]]) -> _Lines:
        found: _Lines = {}
        for stack in stacks:
            own = next((place for place in reversed(stack) if not place.file.startswith(self._torch)), None)
            if own is not None:
                found.setdefault((stack[-1].file, stack[-1].line), set()).add(own)
        return found
