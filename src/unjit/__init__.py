"""unjit: see, step through and rewrite what torch.compile did.

Importing it imports no torch and changes nothing; every public name is loaded when it is first used. Where the variable
UNJIT_OUT names a directory, importing it begins a capture.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

from unjit.lazily import loading

if TYPE_CHECKING:
    from unjit.api.compare import compare
    from unjit.api.descend import descend
    from unjit.api.diff import diff
    from unjit.api.doctor import doctor
    from unjit.api.explain import Explanation, explain
    from unjit.api.getsource import getsource
    from unjit.api.logs import disable_logs, enable_logs
    from unjit.api.redact import redact
    from unjit.api.why import why
    from unjit.api.wrap import wrap
    from unjit.capturing.api import Session, capture
    from unjit.capturing.captured import Captured, load
    from unjit.debugging import debug
    from unjit.decompiler import Decompiled, decompile
    from unjit.errors import UnjitError
    from unjit.ingesting.api import ingest
    from unjit.model import Entry, Unknown
    from unjit.observe.listening.counting import count_calls
    from unjit.ranks.api import Merged, merge
    from unjit.rewrite import dispatch, installed, reset
    from unjit.stepping import step

__version__ = "0.1.0"
__all__ = [
    "Captured", "Decompiled", "Entry", "Explanation", "Merged", "Session", "UnjitError", "Unknown",
    "capture", "compare", "count_calls", "debug", "decompile", "descend", "diff", "disable_logs", "dispatch", "doctor",
    "enable_logs", "explain", "getsource", "ingest", "installed", "load", "merge", "redact", "reset", "step",
    "why", "wrap",
]  # fmt: skip

_NAMES = {  # by the module where they live
    "api.compare": "compare",
    "api.descend": "descend",
    "api.diff": "diff",
    "api.doctor": "doctor",
    "api.explain": "Explanation explain",
    "api.getsource": "getsource",
    "api.logs": "disable_logs enable_logs",
    "api.redact": "redact",
    "api.why": "why",
    "api.wrap": "wrap",
    "capturing.api": "Session capture",
    "capturing.captured": "Captured load",
    "debugging": "debug",
    "decompiler": "Decompiled decompile",
    "errors": "UnjitError",
    "ingesting.api": "ingest",
    "model": "Entry Unknown",
    "observe.listening.counting": "count_calls",
    "plugins.for_ipython": "load_ipython_extension unload_ipython_extension",
    "ranks.api": "Merged merge",
    "rewrite": "dispatch installed reset",
    "stepping": "step",
}
__getattr__ = loading(__name__, _NAMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if os.environ.get("UNJIT_OUT"):
    importlib.import_module("unjit.capturing.environment").begin()
