"""Whether a directory is free to be written to, and the taking of one that is."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from unjit.directory import layout
from unjit.errors import UnjitError

TAKEN: Final = "another capture writes into this directory"


def be_free(directory: Path) -> None:
    """Raise UnjitError, in one sentence, unless there is nothing at this place or an empty directory."""
    if holds_something(directory):
        raise UnjitError(f"{directory} is not empty: give another directory")


def holds_something(directory: Path) -> bool:
    """Whether there is something in it; UnjitError, in one sentence, if no directory can be there."""
    try:
        return any(directory.iterdir())
    except FileNotFoundError:
        _follow_links((directory, *directory.parents))
        return False
    except OSError as error:
        raise unusable(directory, error) from None


def _follow_links(places: Iterable[Path]) -> None:
    """UnjitError if one of these is a link to nothing: no directory can be made at its place."""
    broken = next((place for place in places if place.is_symlink() and not place.exists()), None)
    if broken is not None:
        raise UnjitError(f"{broken} is a link to {broken.readlink()}, which does not exist: make that directory first")


def unusable(directory: Path, error: OSError) -> UnjitError:
    """What to say of a place that the system refuses: what is wrong with it, and what to do."""
    places = (directory, *directory.parents)
    other = next((place for place in places if place.exists() and not place.is_dir()), None)
    if isinstance(error, NotADirectoryError) and other is not None:
        return UnjitError(f"{other} is not a directory: give one that is empty or does not exist yet")
    return UnjitError(f"{directory} cannot be used: {error.strerror}; give a directory that does not exist yet")


class Taken(OSError):
    """Another capture has begun to write into a directory since this one found it empty."""


def take(directory: Path) -> Path:
    """The directory, which nobody else can take from now on. Raises Taken if somebody has, OSError as the system does.

    The file by which it is taken is there while a capture lasts; others are there when one has ended.
    """
    directory.mkdir(parents=True, exist_ok=True)
    mark, taken = directory / layout.ORDER, Taken(f"nothing could be written: {TAKEN}; give each its own")
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        raise taken from None
    if any((directory / name).exists() for name in (layout.INDEX, layout.RUN, layout.FUNCTIONS)):
        mark.unlink()
        raise taken
    return directory


def make(directory: Path) -> None:
    """Make a directory that is free, with those above it; UnjitError if it is not, or cannot be made."""
    be_free(directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnjitError(f"{directory} cannot be made: {error.strerror}; give another directory") from None
