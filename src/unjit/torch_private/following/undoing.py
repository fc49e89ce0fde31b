"""Undoing what was done to torch and to the process, also when that is interrupted."""

from __future__ import annotations

from collections.abc import Callable


def surely(undo: Callable[[], object]) -> None:
    """Undo something, which may be done twice: what an interrupt or a full memory stops is begun once more.

    Raises what stopped it the first time.
    """
    try:
        undo()
    except BaseException:
        undo()
        raise
