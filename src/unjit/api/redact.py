"""`unjit.redact`: a copy of a capture's directory that is safe to share."""

from __future__ import annotations

import os
from pathlib import Path

from unjit.capturing.captured import Captured, load
from unjit.capturing.ending.page import write_page
from unjit.directory import layout
from unjit.directory.files import DiskFiles
from unjit.directory.free import unusable
from unjit.redaction import redact_directory


def redact(directory: str | os.PathLike[str], out: str | os.PathLike[str]) -> Captured:
    """Write a copy of a capture without source, generated code, paths, host, environment, constants and messages.

    What may quote any of these is left out too, and the copy says so. Names, line numbers, sizes, dtypes, devices,
    times and counts stay (docs/redaction.md). `out` must be new or empty. Returns the copy, as `unjit.load` does.
    Raises UnjitError if there is no capture, or if the copy cannot be written.
    """
    try:
        redact_directory(Path(directory), Path(out))
    except OSError as error:
        raise unusable(Path(out), error) from None
    for folder in (Path(out), *sorted(Path(out).glob(f"{layout.PROCESSES}/*"))):
        if (folder / layout.INDEX).exists():
            write_page(DiskFiles(folder))
    return load(out)
