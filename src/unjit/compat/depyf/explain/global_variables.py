"""What depyf keeps while `prepare_debug` is active, under its keys."""

from __future__ import annotations

from typing import Any, Final

data: Final[dict[str, Any]] = {
    "dump_src_dir": None,
    "is_inside_prepare_debug": False,
    "optimized_functions": set(),
    "unpatched_load_by_key_path": None,
    "unpatched__exec_with_source": None,
    "unpatched___call__": None,
}
