"""The paths of protected regions and handlers that blocks lie in."""

from __future__ import annotations

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.flow.graph import Block, Path


def path_after(block: Block) -> Path:
    """The regions around the end of `block`, which POP_EXCEPT may leave. Raises CannotExpress where it leaves none."""
    if not block.leaves_handler:
        return block.region
    inside = [k for k, region in enumerate(block.region) if region.kind == "except"]
    if not inside:
        raise CannotExpress(f"POP_EXCEPT before offset {block.offset} is in no handler")
    return block.region[: inside[-1]]
