"""Whether source comes back from what this Python compiles.

A patch release may make other bytecode than the one before it, and says so nowhere: 3.13.1 did, of comprehensions. So
modules of the standard library, which every Python has, are compiled, decompiled and proved.
"""

from __future__ import annotations

import importlib.util
from importlib.abc import InspectLoader
from types import CodeType
from typing import Final

from unjit.bytecode import with_nested
from unjit.decompiler import decompile

MODULES: Final = ("collections", "contextlib", "dataclasses", "asyncio.tasks")  # between them, most kinds of statements


def proved_and_all() -> tuple[int, int]:
    """How many functions, classes and modules of MODULES come back as source, and how many there are; 0 without source.

    Reads and compiles their source, as a file with bytecode may be that of another patch release. Raises OSError and
    SyntaxError where the source cannot be read.
    """
    modules = [code for name in MODULES if (code := compiled(name)) is not None]
    lost = sum(len(decompile(code).unrecovered) for code in modules)
    everything = sum(1 for code in modules for _ in with_nested(code))
    return everything - lost, everything


def compiled(name: str) -> CodeType | None:
    """What this Python makes of a module's source; None where that is not there."""
    loader = getattr(importlib.util.find_spec(name), "loader", None)
    text = loader.get_source(name) if isinstance(loader, InspectLoader) else None
    return None if text is None else compile(text, name, "exec", dont_inherit=True)
