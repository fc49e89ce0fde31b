"""What holds numbers, bytes or a text in one piece, remembered so that it can be put back in place."""

from __future__ import annotations

import array
import io
from collections.abc import Iterator
from functools import partial
from typing import Any

from unjit.comparison.restoring.undoing import Undo
from unjit.comparison.values.leaves import is_array


def buffer_undone(value: Any) -> Undo | None:
    """Of arrays of NumPy's and Python's, bytearrays, and files that are in memory; None of anything else."""
    if isinstance(value, (bytearray, array.array)):
        return _sequence_undone(value)
    if isinstance(value, (io.StringIO, io.BytesIO)):
        return None if value.closed else partial(value.__setstate__, value.__getstate__())  # type: ignore[union-attr]
    if is_array(value) and value.flags.writeable:
        return partial(value.__setitem__, ..., value.copy())
    return None


def objects_in(value: Any) -> Iterator[Any]:
    """What an array of NumPy's holds that are objects: of other arrays nothing."""
    if is_array(value) and value.dtype == object:
        yield from value.flat


def _sequence_undone(value: Any) -> Undo:
    before = value[:]

    def undo() -> None:
        if value != before:
            value[:] = before

    return undo
