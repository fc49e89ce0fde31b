"""A capture that the environment asks for: `UNJIT_OUT=out python program.py`, where the program imports unjit."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
from pathlib import Path

from unjit.capturing.api import absolute, joined_by_children
from unjit.capturing.ending.uncaught import interrupt_kept, uncaught
from unjit.capturing.job.processes import prepare
from unjit.capturing.session import Recording
from unjit.directory.layout import INDEX_TEXT
from unjit.errors import UnjitError
from unjit.model.words.wording import in_words

VARIABLE = "UNJIT_OUT"


class AskedFor:
    """The capture that the variable asks for, from the import of unjit to the end of the program."""

    def __init__(self, directory: str, recording: Recording) -> None:
        self.directory = directory
        self._recording = recording
        self._before_finalizers = False
        self._concluded = False
        self._undo = contextlib.ExitStack()

    def begin(self, top: Path) -> None:
        """Record from here on."""
        with contextlib.ExitStack() as undo:
            undo.enter_context(joined_by_children(top))
            self._recording.begin(self._conclude_earlier)
            undo.callback(self._recording.stop)
            atexit.register(self.conclude)
            self._undo = undo.pop_all()

    def conclude(self) -> None:
        """At the exit: stop, and write what is known at the end, once."""
        if self._concluded:
            return
        self._concluded = True
        with interrupt_kept():
            self._undo.close()
            self._recording.ended_by(uncaught())
            self._recording.finish()
            self._say_where_no_index_can()

    def _say_where_no_index_can(self) -> None:
        """What is lost stands in the index; where that was not written either, on stderr."""
        index = self._recording.unwritten(INDEX_TEXT)
        if index is not None:
            sys.stderr.write(f"unjit: {VARIABLE}: {index} could not be written; what was captured is not complete\n")

    def withdraw(self) -> None:
        """As if it had not been asked for, with the variable as it was."""
        self._undo.close()
        atexit.unregister(self.conclude)
        os.environ[VARIABLE] = self.directory

    def _conclude_earlier(self) -> None:
        """Before weakref's finalizers, which invalidate cache entries: functions at the exit run last in, first out."""
        if not self._before_finalizers:
            atexit.register(self.conclude)  # the one that is registered already finds it done
            self._before_finalizers = getattr(sys.modules["weakref"].finalize, "_registered_with_atexit", True)


_asked_for: list[AskedFor] = []


def begin() -> None:
    """Begin what the variable asks for. What is wrong with the directory is said, and nothing recorded."""
    directory = os.environ.pop(VARIABLE)
    try:
        top = absolute(Path(directory))
        prepare(top, overwrite=False)
        asked_for = AskedFor(directory, Recording(top))
        asked_for.begin(top)
    except Exception as error:
        what = str(error) if isinstance(error, UnjitError) else in_words(error)
        sys.stderr.write(f"unjit: {VARIABLE}: {what}; nothing is captured\n")
        return
    _asked_for.append(asked_for)


def withdraw() -> None:
    """Leave the variable to who reads it next: the command line is no program to be captured."""
    while _asked_for:
        _asked_for.pop().withdraw()
