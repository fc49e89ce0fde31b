"""The environment through which a process gets to record."""

from __future__ import annotations

import os
from pathlib import Path

from unjit.starting.options import Options

BOOT = str(Path(__file__).resolve().parent / "boot")  # holds sitecustomize.py, which begins the recording


def environment(options: Options) -> dict[str, str]:
    """The environment in which the recording begins; boot/sitecustomize.py puts it back as it is here."""
    original = os.environ.get("UNJIT_PYTHONPATH") if "UNJIT_RUN" in os.environ else os.environ.get("PYTHONPATH")
    added = {"UNJIT_RUN": options.dump(), "PYTHONPATH": os.pathsep.join([BOOT, original] if original else [BOOT])}
    if original is not None:
        added["UNJIT_PYTHONPATH"] = original
    return {**{name: value for name, value in os.environ.items() if name != "UNJIT_OUT"}, **added}
