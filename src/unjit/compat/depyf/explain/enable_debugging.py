"""What others import from here. unjit patches nothing, so that these only pass on what they are given."""

from __future__ import annotations

from typing import Any

from unjit.compat.depyf.explain.global_variables import data
from unjit.torch_private.cache.backends import load_generated


def patched_load_by_key_path(key: str, path: str, linemap: Any = None, attrs: Any = None, **later: Any) -> Any:
    """Load a module that Inductor generated, as torch does; arguments that torch adds later are passed on."""
    load = data["unpatched_load_by_key_path"] or load_generated
    return load(key, path, linemap, attrs, **later)
