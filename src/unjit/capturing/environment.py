"""A capture that the environment asks for: `UNJIT_OUT=out python program.py`, where the program imports unjit."""

from __future__ import annotations

import atexit
import contextlib
import sys
from pathlib import Path

from unjit.capturing.api import joined_by_children
from unjit.capturing.processes import prepare
from unjit.capturing.session import Recording
from unjit.errors import UnjitError


def begin(directory: str) -> None:
    """Record from here to the end of the program. What is wrong with the directory is said, and nothing recorded."""
    top = Path.cwd() / directory
    try:
        prepare(top, overwrite=False)
    except UnjitError as error:
        sys.stderr.write(f"unjit: UNJIT_OUT: {error}; nothing is captured\n")
        return
    recording = Recording(top)
    children = contextlib.ExitStack()
    children.enter_context(joined_by_children(top))

    def conclude() -> None:
        recording.stop()
        recording.finish()
        children.close()

    def conclude_earlier() -> None:
        """Before weakref's finalizers, which invalidate cache entries: functions at the exit run last in, first out."""
        if getattr(sys.modules["weakref"].finalize, "_registered_with_atexit", True) and not concluding:
            concluding.append(True)
            atexit.unregister(conclude)
            atexit.register(conclude)

    concluding: list[bool] = []
    recording.begin(conclude_earlier)
    atexit.register(conclude)
