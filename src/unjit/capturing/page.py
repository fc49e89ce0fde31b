"""The page beside the files of a capture. Without it all else is there, so nothing of it is raised."""

from __future__ import annotations

from unjit.directory import layout
from unjit.directory.files import Files
from unjit.directory.loader import read_capture


def write_page(files: Files) -> None:
    """Write report.html, made of what was written; if that fails, it is a loss."""
    try:
        from unjit.report import report_page

        files.write(layout.PAGE, report_page(read_capture(files, "this capture")))
    except Exception as error:
        files.losses.append(f"{layout.PAGE} could not be made: {type(error).__name__}: {error}")
