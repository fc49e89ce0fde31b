"""The user's source files that a capture names, as far as they can be trusted to be what ran."""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Iterator
from pathlib import Path

from unjit.model import Capture, FilePath, Listing, Unknown, UserSource, known_or


def files_of_functions(capture: Capture) -> Iterator[str]:
    """The files that functions, and breaks within them, stand in."""
    for function in capture.report.functions:
        yield function.place.file
        for compile_ in known_or(function.compiles, ()):
            breaks = known_or(compile_.breaks, ())
            yield from (one.place.file for one in breaks if not isinstance(one.place, Unknown))


def read_sources(files: Iterable[str], since: float) -> tuple[Listing, ...]:
    """The whole of each of these files, sorted by name; what cannot be read, or was written since then, is left out."""
    return tuple(
        Listing(FilePath(file), 1, UserSource(text)) for file in sorted(set(files)) if (text := _text(file, since))
    )


def _text(file: str, since: float) -> str | None:
    try:
        changed = Path(file).stat().st_mtime > since
    except (OSError, ValueError):
        changed = False  # a cell of a notebook is in linecache alone
    return None if changed else "".join(linecache.getlines(file)) or None
