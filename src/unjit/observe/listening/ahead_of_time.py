"""The function that torch.export or aot_compile captures: torch's trace does not name it."""

from __future__ import annotations

from types import CodeType

from unjit.errors import BadTarget
from unjit.observe.targets.resolving import resolve
from unjit.torch_private.following.being_compiled import callable_being_captured


def code_being_captured() -> CodeType | None:
    """Its code object, of a module that of its forward; None if nothing is captured in this thread."""
    found = callable_being_captured()
    if found is None:
        return None
    try:
        return resolve(found).code
    except BadTarget:
        return None
