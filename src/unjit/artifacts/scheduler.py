"""What Inductor's scheduler says in the texts of a capture: what operations came from, and what they make."""

from __future__ import annotations

import re
from typing import Final

_ORIGINS: Final = re.compile(r"name='(op\d+)'\)[^\n]*?origins=OrderedSet\(\[([^\]]*)\]\)")
_GROUP: Final = re.compile(r"^(op\d+(?:_op\d+)*): ")
_OUTPUT: Final = re.compile(r" +(buf\d+): ")


def origins_of_operations(fusion: str) -> dict[str, list[str]]:
    """The nodes of the lowered graph that each operation came from, by Inductor's log of what it considered fusing."""
    found: dict[str, list[str]] = {}
    for match in _ORIGINS.finditer(fusion):
        found.setdefault(match[1], [name for name in match[2].split(", ") if name])
    return found


def operations_of_buffers(ir: str) -> dict[str, list[str]]:
    """The operations that are fused with the one that makes each buffer, by the IR after fusion.

    A fused group comes before the operations in it, and names all buffers that it makes.
    """
    found: dict[str, list[str]] = {}
    group: list[str] = []
    for row in ir.split("\n"):
        if header := _GROUP.match(row):
            group = header[1].split("_")
        elif output := _OUTPUT.match(row):
            found.setdefault(output[1], group)
    return found
