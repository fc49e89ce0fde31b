"""unjit: see, step through and rewrite what torch.compile did.

Importing it imports no torch and changes nothing; every public name is loaded when it is first used.
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
    from unjit.doctoring import doctor
    from unjit.errors import UnjitError
    from unjit.explaining import Explanation, explain
    from unjit.model import Entry, Unknown
    from unjit.sourcing import getsource
    from unjit.stepping import step
    from unjit.wrapping import wrap

__version__ = "0.1.0"
__all__ = [
    "Captured", "Decompiled", "Entry", "Explanation", "Session", "UnjitError", "Unknown",
    "capture", "compare", "count_calls", "debug", "decompile", "doctor", "explain", "getsource", "load", "step",
    "why", "wrap",
]  # fmt: skip

_HOME = {
    "getsource": "unjit.sourcing",
    "Captured": "unjit.capturing.captured",
    "Session": "unjit.capturing.api",
    "capture": "unjit.capturing.api",
    "load": "unjit.capturing.captured",
    "Decompiled": "unjit.decompiler",
    "decompile": "unjit.decompiler",
    "doctor": "unjit.doctoring",
    "debug": "unjit.debugging",
    "explain": "unjit.explaining",
    "compare": "unjit.comparing",
    "count_calls": "unjit.counting",
    "Entry": "unjit.model",
    "Explanation": "unjit.explaining",
    "UnjitError": "unjit.errors",
    "Unknown": "unjit.model",
    "step": "unjit.stepping",
    "why": "unjit.asking",
    "wrap": "unjit.wrapping",
}


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
