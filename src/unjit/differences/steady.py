"""A capture without what differs although nothing has changed: compile ids, and folders of the machine."""

from __future__ import annotations

from unjit.directory.numbering import stable
from unjit.directory.stable import Stabiliser
from unjit.model import Capture, FilePath, Text, mapped


def steady(capture: Capture, other: Capture) -> Capture:
    """The capture as another run of the same program, elsewhere, would have it.

    One made from a log knows no folders: its program is taken to be where that of the `other` is.
    """
    known = [run.folders for run in (capture.run, other.run) if run and run.folders]
    folders = Stabiliser(known[0] if known else ())

    def path(text: Text) -> Text:
        return FilePath(folders.path(text)) if isinstance(text, FilePath) else text

    found = mapped(stable(capture), path)
    assert isinstance(found, Capture)
    return found
