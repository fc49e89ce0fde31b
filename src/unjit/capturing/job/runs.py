"""The order in which compiled code ran, in a file that is right at any moment, also after `kill -9`.

Of a rank that waits in vain for others one wants to know what it came to. So each run is written down before it begins,
in one call of the system that waits for no disk. `directory.runs` has the form of the file.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType

from unjit.bytecode.changed.relocate import as_made
from unjit.directory import runs as form
from unjit.model import Unknown
from unjit.model.words.wording import in_words
from unjit.torch_private.calling.calls_ahead import before_any_runs


class RunLog:
    """Writes the runs of compiled code; nothing that goes wrong in it reaches the program."""

    def __init__(self, path: Path, kept: int = form.KEPT) -> None:
        self.error: str | None = None
        self._kept = kept
        self._numbers: dict[int, tuple[weakref.ref[CodeType], int]] = {}  # by the identity of the code
        self._total = 0
        self._ring: list[int] = []  # what the file holds
        self._dropped: Counter[int] = Counter()
        self._thread = threading.get_ident()
        self._end: Callable[[], None] | None = None
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_CLOEXEC", 0), 0o666)
        os.pwrite(self._file, form.head(1), 0)

    def begin(self) -> bool:
        """Write from here on; False if this torch does not tell when compiled code runs."""
        end = before_any_runs(self.note)
        if isinstance(end, Unknown):
            self.finish()
            return False
        self._end = end
        return True

    def watch(self, code: CodeType, number: int) -> None:
        """Know this code as what a compile made."""
        code = as_made(code)  # unjit.debug may put it on a page, before this or after
        self._numbers[id(code)] = (weakref.ref(code), number)

    def note(self, code: CodeType) -> None:
        """One run of `code`, which is about to begin. Raises nothing."""
        if self._file < 0:
            return
        try:
            self._note(code)
        except Exception as error:
            self.error = f"the order of runs is lost from here on: {in_words(error)}"
            self.finish()

    def _note(self, code: CodeType) -> None:
        code = as_made(code)
        known = self._numbers.get(id(code))
        number = known[1] if known is not None and known[0]() is code else form.OTHER
        if threading.get_ident() != self._thread:
            self._note_thread()
        at = self._total % self._kept
        if self._total < self._kept:
            self._ring.append(number)
        else:
            self._drop(self._ring[at])
            self._ring[at] = number
        os.pwrite(self._file, form.line(self._total, number), form.line_at(at))
        self._total += 1

    def _note_thread(self) -> None:
        """Another thread than before: from now on the order is a matter of chance."""
        os.pwrite(self._file, form.head(2), 0)
        self._thread = threading.get_ident()

    def _drop(self, number: int) -> None:
        self._dropped[number] += 1
        if number < form.COUNTED:
            os.pwrite(self._file, form.line(self._dropped[number], number), form.count_at(number, self._kept))

    def finish(self) -> None:
        """Write no more. A forked child does that too: its file is the parent's."""
        file, self._file = self._file, -1
        if self._end is not None:
            self._end()
            self._end = None
        if file >= 0:
            os.close(file)
