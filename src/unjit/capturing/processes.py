"""Several processes that write into one directory: each has a folder of its own, which it makes when it compiles."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

from unjit.directory import layout
from unjit.errors import UnjitError


def own_name() -> str:
    """How this process is called among those of one capture: by its rank, or as multiprocessing calls it."""
    rank = os.environ.get("RANK")
    if rank is not None and rank.isdigit():
        return f"rank_{rank}"
    multiprocessing = sys.modules.get("multiprocessing.process")
    name = multiprocessing.current_process().name if multiprocessing else "MainProcess"
    return "child" if name == "MainProcess" else re.sub(r"\W+", "_", name).strip("_") or "child"


def is_one_of_many() -> bool:
    """Whether a launcher started this process as one of several that have the same command."""
    return os.environ.get("WORLD_SIZE", "1") not in ("", "1") and os.environ.get("RANK", "").isdigit()


def claim(top: Path) -> Path:
    """A new folder for this process below `top`; OSError if none can be made."""
    name, number = own_name(), 1
    while True:
        folder = top / layout.PROCESSES / (name if number == 1 else f"{name}_{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            number += 1
        else:
            return folder


def prepare(directory: Path, *, overwrite: bool) -> None:
    """Make sure that nothing else is in the directory of a capture that begins; UnjitError if that cannot be."""
    own = directory / layout.PROCESSES / own_name() if is_one_of_many() else directory
    if overwrite and own.is_dir():
        remove_capture(own)
    try:
        inside = any(own.iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        raise UnjitError(f"{own} cannot be used: {error.strerror}; give a directory that does not exist yet") from None
    if inside:
        raise UnjitError(f"{own} is not empty: give another directory, or ask to overwrite what an older capture left")


def remove_capture(directory: Path) -> None:
    """Remove a directory that holds a capture; UnjitError if it holds something else."""
    inside = {entry.name for entry in directory.iterdir()}
    if inside and not inside & {layout.INDEX, layout.RUN, layout.FUNCTIONS, layout.PROCESSES}:
        raise UnjitError(f"{directory} holds no capture, so it is not removed: give another directory")
    shutil.rmtree(directory)
