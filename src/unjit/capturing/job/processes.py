"""Several processes that write into one directory: each has a folder of its own, which it makes when it compiles."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from pathlib import Path

from unjit.directory import layout, old_captures
from unjit.directory.free import holds_something
from unjit.errors import UnjitError
from unjit.observe.functions.names import shortened
from unjit.torch_private.process_groups import joined_job


def own_name(parent: str | None = None) -> str:
    """The name of this process among those of one capture: by its rank, or as multiprocessing calls it.

    `parent` is the name of the rank that started it, if one did: what a rank starts is no rank, though the environment
    says so. A rank that a launcher starts again has another name each time.
    """
    number = None if parent is not None else rank()
    if number is None:
        return f"{parent}_{_multiprocessing_name()}" if parent else _multiprocessing_name()
    return layout.rank_folder(number, _number("TORCHELASTIC_RESTART_COUNT") or 0)


def rank() -> int | None:
    """The number of this process among those that torch joins to one job; None if it is no part of one."""
    job = joined_job()
    return _number("RANK") if job is None else int(job.get_rank())


def world_size() -> int:
    """How many ranks there are; 1 where there are none."""
    job = joined_job()
    return (_number("WORLD_SIZE") or 1) if job is None else int(job.get_world_size())


def is_one_of_many() -> bool:
    """Whether this process is one of several that do the same together."""
    return rank() is not None and world_size() > 1


def name_of_rank() -> str | None:
    """The name of this process if it is a rank."""
    return None if rank() is None else own_name()


def parent_rank(told: str | None) -> str | None:
    """The name of the rank that started this process, if one did: a launcher gives a process a rank of its own."""
    return told if told is not None and layout.rank_in(told) == _number("RANK") else None


def _number(variable: str) -> int | None:
    told = os.environ.get(variable, "")
    return int(told) if told.isdigit() else None


def _multiprocessing_name() -> str:
    multiprocessing = sys.modules.get("multiprocessing.process")
    name = multiprocessing.current_process().name if multiprocessing else "MainProcess"
    return "child" if name == "MainProcess" else shortened(re.sub(r"\W+", "_", name).strip("_")) or "child"


def claim(top: Path, parent: str | None, *, by_name: bool) -> Path:
    """A new folder for this process below `top`; `parent` is the rank that started it, if one did.

    `by_name`: it is called as the program called the process, which may tell what a redacted capture must not.
    OSError if none can be made.
    """
    name, number = own_name(parent), 1
    if not by_name and layout.start_of_rank(name) is None:
        name = f"{parent}_process" if parent else "process"
    while True:
        folder = top / layout.PROCESSES / (name if number == 1 else f"{name}_{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            number += 1
        else:
            return folder


def prepare(directory: Path, *, overwrite: bool) -> None:
    """Make sure that nothing else is in the directory of a capture that begins; UnjitError if that cannot be.

    One of several ranks looks at its own folder, and at what no rank of this job writes: the others may have begun.
    """
    many = is_one_of_many()
    own = directory / layout.PROCESSES / own_name() if many else directory
    if overwrite and many:
        old_captures.remove(_left_by_ranks(directory, own), _left_on_top(directory))
    elif overwrite:
        old_captures.remove([own])
    for folder in (own, directory / layout.FUNCTIONS) if many else (own,):
        if holds_something(folder):
            raise UnjitError(
                f"{folder} is not empty: give another directory, or replace the capture that is in it with "
                "--overwrite (in Python: overwrite=True)"
            )
    if many:
        with contextlib.suppress(OSError):  # mostly there is none; with an empty one `claim` would take another name
            own.rmdir()


def _left_on_top(directory: Path) -> list[Path]:
    """What an older capture left beside the folders of ranks."""
    merged = layout.OF_RANKS if (directory / layout.INDEX).exists() else (*layout.OF_RANKS, layout.INDEX_TEXT)
    several = (directory / layout.PROCESSES).exists()
    return [*old_captures.parts_of(directory), *(directory / name for name in merged if several)]


def _left_by_ranks(directory: Path, own: Path) -> list[Path]:
    """The folders of this rank, of what it started, and of ranks that no longer exist: those of other ranks stay."""
    size, found = world_size(), [own]
    for folder in sorted((directory / layout.PROCESSES).glob("*")) if directory.is_dir() else ():
        number = layout.rank_in(folder.name)
        if number is not None and (number >= size or folder.name.startswith(f"{own.name}_")):
            found.append(folder)
    return found
