"""Which rank says so, where a launcher as torchrun started several programs that each speak for themselves."""

from __future__ import annotations

import os
import re
from typing import Final

_OURS: Final = re.compile(r"^unjit: ", re.MULTILINE)


def told_by_rank(text: str) -> str:
    """What is told of a program, its own lines marked with the number of its rank, `unjit, rank 1: …`."""
    rank, size = os.environ.get("RANK", ""), os.environ.get("WORLD_SIZE", "")
    several = rank.isdecimal() and size.isdecimal() and int(size) > 1
    return _OURS.sub(f"unjit, rank {int(rank)}: ", text) if several else text
