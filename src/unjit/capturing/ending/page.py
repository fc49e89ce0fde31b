"""The page beside the files of a capture. Without it all else is there, so nothing of it is raised."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unjit.directory import layout
from unjit.directory.files import Files
from unjit.directory.loader import GONE, read_capture
from unjit.model.words.wording import in_words


def write_page(files: Files, written: Mapping[str, Any] | None = None) -> None:
    """Write report.html, made of what was written; if that fails, it is a loss.

    `written` has what is known of the files by their paths, so that they need not be read again.
    """
    try:
        from unjit.report.page import report_page

        found = read_capture(files, "this capture", written)
        files.losses.extend(loss for loss in found.report.losses if loss.endswith(GONE))  # somebody has removed it
        files.write(layout.PAGE, report_page(found))
    except Exception as error:  # a fault in the page must not cost the program its end
        files.losses.append(f"{layout.PAGE} could not be made: {in_words(error)}")
