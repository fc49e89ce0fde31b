"""Whether there is room for a directory that is to be written as a whole."""

from __future__ import annotations

from pathlib import Path

from unjit.errors import UnjitError


def be_free(directory: Path) -> None:
    """Return if there is nothing at this place, or an empty directory; else UnjitError, in one sentence."""
    try:
        taken = any(directory.iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        raise unusable(directory, error) from None
    if taken:
        raise UnjitError(f"{directory} is not empty: give another directory")


def unusable(directory: Path, error: OSError) -> UnjitError:
    """What to say of a place that the system refuses: what is wrong with it, and what to do."""
    places = (directory, *directory.parents)
    other = next((place for place in places if place.exists() and not place.is_dir()), None)
    if isinstance(error, NotADirectoryError) and other is not None:
        return UnjitError(f"{other} is no directory: give one that is empty or does not exist yet")
    return UnjitError(f"{directory} cannot be used: {error.strerror}; give a directory that does not exist yet")


def make(directory: Path) -> None:
    """Make a directory that is free, with those above it; UnjitError if it is not, or cannot be made."""
    be_free(directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnjitError(f"{directory} cannot be made: {error.strerror}; give another directory") from None
