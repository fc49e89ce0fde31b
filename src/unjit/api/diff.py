"""`unjit.diff`: two cache entries, or two captures, side by side."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, overload

from unjit.api.entry import EntryHandle
from unjit.capturing.captured import Captured, load
from unjit.differences import of_captures, of_entries
from unjit.errors import BadTarget
from unjit.model import CaptureDifference, Change, Entry, EntryDifference, Message, Term
from unjit.model.words.wording import with_article
from unjit.render.forms.notebook import ShownInFull
from unjit.render.side_by_side.capture_differences import capture_difference_text
from unjit.render.side_by_side.differences import difference_text

if TYPE_CHECKING:
    from unjit.report.inline import Page


@overload
def diff(first: EntryHandle | Entry, second: EntryHandle | Entry, /) -> Difference: ...
@overload
def diff(
    first: Captured | str | os.PathLike[str], second: Captured | str | os.PathLike[str], /
) -> CapturesDifference: ...
def diff(first: Any, second: Any, /) -> Difference | CapturesDifference:
    """What differs between two entries, or between two captures.

    Entries are those of `unjit.explain(…).entries`, or their data, of one function or of two: guards by what they look
    at, graphs, and code. Captures are sessions of `unjit.capture`, what `unjit.load` gives, or their directories: what
    changed in functions, compiles, breaks, recompiles, entries, guards, code, graphs and kernels. Times are shown, but
    are no difference. Raises BadTarget for everything else, and UnjitError for a directory that holds no capture.
    """
    if isinstance(first, (Captured, str, os.PathLike)) and isinstance(second, (Captured, str, os.PathLike)):
        return CapturesDifference(_of_captures(_captured(first), _captured(second)))
    return Difference(of_entries(_entry(first), _entry(second)))


class Difference(ShownInFull):
    """What differs between two entries: `str()` is the text for people, `.data` all of it as frozen data."""

    def __init__(self, data: EntryDifference) -> None:
        self.data = data

    def __str__(self) -> str:
        return difference_text(self.data)

    def __repr__(self) -> str:
        return f"<unjit.diff of {self.data.first} and {self.data.second}: {len(self.data.guards)} guards differ>"


class CapturesDifference(ShownInFull):
    """What differs between two captures: `str()` is the text for people, `.data` all of it as frozen data."""

    def __init__(self, data: CaptureDifference) -> None:
        self.data = data

    @property
    def same(self) -> bool:
        """Whether nothing but times differs, as far as the two are known."""
        return self.data.same

    def __str__(self) -> str:
        return capture_difference_text(self.data)

    def report(self, path: str | os.PathLike[str] | None = None) -> Page:
        """The two side by side, for a browser, written to `path` if one is given: a file that needs no other.

        A notebook shows it; `.html` is its text. Raises OSError if it cannot be written.
        """
        from unjit.report.differences import differences_page
        from unjit.report.inline import Page

        page = Page(differences_page(self.data))
        if path is not None:
            page.write(path)
        return page

    def __repr__(self) -> str:
        return f"<unjit.diff of {self.data.first} and {self.data.second}: {len(self.data.changes)} changes>"


def _captured(given: Captured | str | os.PathLike[str]) -> Captured:
    return given if isinstance(given, Captured) else load(given)


def _entry(given: object) -> Entry:
    entry = given.data if isinstance(given, EntryHandle) else given
    if not isinstance(entry, Entry):
        kind = with_article(type(given).__name__)
        raise BadTarget(f"{kind} is not a cache entry; pass two of unjit.explain(function).entries, or two captures")
    return entry


def _of_captures(first: Captured, second: Captured, within: str = "") -> CaptureDifference:
    """All processes of two captures."""
    names = str(first.directory or "the first"), str(second.directory or "the second")
    found = of_captures(first.data, second.data, names=names, within=within)
    mine, yours = first.processes, second.processes
    for name in dict.fromkeys([*mine, *yours]):
        path = f"{within}processes/{name}"
        if name in mine and name in yours:
            found = _joined(found, _of_captures(mine[name], yours[name], f"{path}/"), path)
        else:
            sides = (Message("a process") if name in side else None for side in (mine, yours))
            found = CaptureDifference(
                found.first,
                found.second,
                (*found.changes, Change("functions", Term(path), *sides)),  # type: ignore[arg-type]
                found.times,
                found.notes,
            )
    return found


def _joined(one: CaptureDifference, other: CaptureDifference, path: str) -> CaptureDifference:
    notes = (Message(f"{path}: {note}") for note in other.notes)
    return CaptureDifference(
        one.first, one.second, (*one.changes, *other.changes), (*one.times, *other.times), (*one.notes, *notes)
    )
