"""A capture without what differs although nothing has changed: compile ids, and folders of the machine."""

from __future__ import annotations

from unjit.directory.numbering import stable
from unjit.directory.stable import Stabiliser
from unjit.model import Capture, FilePath, Text, mapped


def steady(capture: Capture) -> Capture:
    """The capture as another run of the same program, elsewhere, would have it."""
    folders = Stabiliser(capture.run.folders if capture.run else ())

    def path(text: Text) -> Text:
        return FilePath(folders.path(text)) if isinstance(text, FilePath) else text

    found = mapped(stable(capture), path)
    assert isinstance(found, Capture)
    return found
