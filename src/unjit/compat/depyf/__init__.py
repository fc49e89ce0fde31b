"""depyf 0.20's interface over unjit, for programs that call it.

`activate()` makes `import depyf` find this package. What is the same: names, arguments, and the names of the files that
`prepare_debug` writes. What is different: the program always runs Dynamo's own code, never a decompiled one; source is
proved, or says that it is not; files are written at the end of `prepare_debug`. docs/moving-from-depyf.md has the rest.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, Final

from unjit.api.logs import disable_logs as uninstall
from unjit.api.logs import enable_logs as install
from unjit.compat.depyf.debugging import debug, prepare_debug
from unjit.compat.depyf.decompiler import DecompilationError, Decompiler, decompile
from unjit.errors import UnjitError

__version__ = "0.20.0"  # whose interface this is: programs compare it
__all__ = ["DecompilationError", "Decompiler", "debug", "decompile", "install", "prepare_debug", "uninstall"]

_MODULES: Final = (
    *("decompiler", "optimization", "utils"),
    *("explain", "explain.utils", "explain.global_variables", "explain.enable_debugging"),
)


def activate() -> None:
    """Make `import depyf` give this package in this process. UnjitError if another depyf is imported already."""
    present: Any = sys.modules.get("depyf")
    here = sys.modules[__name__]
    if present is not None and present is not here:
        raise UnjitError("another depyf is imported already: call unjit.compat.depyf.activate() before it is")
    sys.modules["depyf"] = here
    for name in _MODULES:
        sys.modules[f"depyf.{name}"] = import_module(f"{__name__}.{name}")
