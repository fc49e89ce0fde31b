"""unjit: see, step through and rewrite what torch.compile did.

Importing it imports no torch and changes nothing; every public name is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unjit.counting import count_calls
    from unjit.decompiler import Decompiled, decompile
    from unjit.errors import UnjitError
    from unjit.explain import Explanation, explain
    from unjit.model import Entry, Unknown
    from unjit.wrap import wrap

__version__ = "0.1.0"
__all__ = ["Decompiled", "Entry", "Explanation", "UnjitError", "Unknown", "count_calls", "decompile", "explain", "wrap"]

_HOME = {
    "Decompiled": "unjit.decompiler",
    "decompile": "unjit.decompiler",
    "explain": "unjit.explain",
    "count_calls": "unjit.counting",
    "Entry": "unjit.model",
    "Explanation": "unjit.explain",
    "UnjitError": "unjit.errors",
    "Unknown": "unjit.model",
    "wrap": "unjit.wrap",
}


def __getattr__(name: str) -> object:
    """Load a public name from the module where it lives, with all others that live there.

    All at once, because importing `unjit.explain` makes Python bind that name here to the module.
    """
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = importlib.import_module(_HOME[name])
    globals().update({other: getattr(home, other) for other, place in _HOME.items() if place == _HOME[name]})
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
