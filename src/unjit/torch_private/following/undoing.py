"""Undoing what was done to torch and the process, even if an interrupt comes in between."""

from __future__ import annotations

from collections.abc import Callable


def surely(undo: Callable[[], object]) -> None:
    """Call `undo`, and again if an interrupt or a full memory stopped it: it must be safe to call twice.

    Raises what stopped it the first time.
    """
    try:
        undo()
    except BaseException:
        undo()
        raise
