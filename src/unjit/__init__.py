"""unjit: see, step through and rewrite what torch.compile did.

Importing it imports no torch and changes nothing; every public name is loaded when it is first used. Where the variable
UNJIT_OUT names a directory, importing it begins a capture.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unjit.asking import why
    from unjit.capturing.api import Session, capture
    from unjit.capturing.captured import Captured, load
    from unjit.comparing import compare
    from unjit.counting import count_calls
    from unjit.debugging import debug
    from unjit.decompiler import Decompiled, decompile
    from unjit.differing import diff
    from unjit.doctoring import doctor
    from unjit.errors import UnjitError
    from unjit.explaining import Explanation, explain
    from unjit.ingesting.api import ingest
    from unjit.logs import disable_logs, enable_logs
    from unjit.model import Entry, Unknown
    from unjit.rewrite import dispatch, installed, reset
    from unjit.sourcing import getsource
    from unjit.stepping import step
    from unjit.wrapping import wrap

__version__ = "0.1.0"
__all__ = [
    "Captured", "Decompiled", "Entry", "Explanation", "Session", "UnjitError", "Unknown",
    "capture", "compare", "count_calls", "debug", "decompile", "diff", "disable_logs", "dispatch", "doctor",
    "enable_logs", "explain", "getsource", "ingest", "installed", "load", "reset", "step", "why", "wrap",
]  # fmt: skip

_NAMES = {  # by the module where they live
    "asking": "why",
    "capturing.api": "Session capture",
    "capturing.captured": "Captured load",
    "comparing": "compare",
    "counting": "count_calls",
    "debugging": "debug",
    "decompiler": "Decompiled decompile",
    "differing": "diff",
    "doctoring": "doctor",
    "errors": "UnjitError",
    "explaining": "Explanation explain",
    "ingesting.api": "ingest",
    "logs": "disable_logs enable_logs",
    "model": "Entry Unknown",
    "rewrite": "dispatch installed reset",
    "sourcing": "getsource",
    "stepping": "step",
    "wrapping": "wrap",
}
_HOME = {name: f"unjit.{home}" for home, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """Load a public name from the module where it lives. No module has the name of a function: it would hide it."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(importlib.import_module(_HOME[name]), name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if os.environ.get("UNJIT_OUT"):
    importlib.import_module("unjit.capturing.environment").begin()
