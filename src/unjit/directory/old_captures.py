"""Removing what older captures left, and nothing that anybody else put there."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from unjit.directory import layout
from unjit.errors import UnjitError

_PARTS: Final = frozenset(
    {*layout.OF_ONE_PROCESS, *layout.OF_RANKS, layout.TRACE, layout.DISTRIBUTED, layout.PROCESSES}
)
_UNFINISHED: Final = ".tmp"  # ends what was being written when a process was killed
_OF_FUNCTION: Final = (layout.FUNCTION, layout.SOURCE, layout.ORIGINAL_BYTECODE, "compile_*", "older_entry_*")


def remove(captures: Iterable[Path], parts: Iterable[Path] = ()) -> None:
    """Remove directories of captures, and single parts of one; another rank may do the same at this moment.

    Raises UnjitError, before anything is removed, where something lies in a directory that no capture writes.
    """
    found = [path for path in captures if path.exists()]
    for path in found:
        _check(path)
    for path in [*found, *parts]:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                path.unlink()


def parts_of(directory: Path) -> list[Path]:
    """What a capture of one process left there beside those of others; UnjitError if that is not what it seems."""
    if not (directory / layout.FUNCTIONS).exists():
        return []
    _check_functions(directory / layout.FUNCTIONS)
    return [directory / name for name in layout.OF_ONE_PROCESS]


def _check(directory: Path) -> None:
    """Raise UnjitError unless a directory is empty, or holds a capture and nothing else."""
    inside = {entry.name for entry in directory.iterdir()} if directory.is_dir() else {""}
    if inside and not _is_capture(directory):
        raise UnjitError(f"{directory} holds no capture, so it is not removed: give another directory")
    foreign = min((name for name in inside - _PARTS if not name.endswith(_UNFINISHED)), default=None)
    if foreign is not None:
        raise UnjitError(f"{directory} holds {foreign}, which no capture wrote, so it is not removed: give another one")
    _check_functions(directory / layout.FUNCTIONS)


def _is_capture(directory: Path) -> bool:
    """Whether one thing at least in a directory is what only a capture writes."""
    if (directory / layout.ORDER).is_file() or any((directory / layout.FUNCTIONS).glob("*/compile_*")):
        return True
    if any(map(layout.start_of_rank, (entry.name for entry in (directory / layout.PROCESSES).glob("*")))):
        return True
    return any(_has_schema(directory / name) for name in (layout.INDEX, layout.RUN))


def _has_schema(file: Path) -> bool:
    """Whether a file is data of a capture's, of whichever schema."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(data, dict) and isinstance(data.get("schema"), int)


def _check_functions(folder: Path) -> None:
    """Raise UnjitError where something in the folder of functions is none: it is somebody else's."""
    with contextlib.suppress(FileNotFoundError):  # another rank removes it
        for entry in folder.iterdir() if folder.is_dir() else ():
            if not any(found for name in _OF_FUNCTION for found in entry.glob(name)) and entry.exists():
                raise UnjitError(f"{entry} is no part of a capture, so nothing is removed: give another directory")
