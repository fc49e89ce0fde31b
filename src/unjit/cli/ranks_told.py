"""Which rank says so, where a launcher as torchrun started several programs that each speak for themselves."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_OURS: Final = re.compile(r"^unjit: ", re.MULTILINE)


def told_by_rank(text: str) -> str:
    """What is told of a program, its own lines marked with the number of its rank, `unjit, rank 1: …`."""
    rank = _one_of_several()
    return text if rank is None else _OURS.sub(f"unjit, rank {rank}: ", text)


def file_of_rank(file: str) -> str:
    """Where a rank writes what all were asked to write into one file: the first there, the others beside it.

    `report.json` of rank 1 is `report.rank_1.json`; `-`, which is standard output, stays what it is.
    """
    rank, path = _one_of_several(), Path(file)
    return file if not rank or file == "-" else str(path.with_name(f"{path.stem}.rank_{rank}{path.suffix}"))


def _one_of_several() -> int | None:
    """The number of this rank; None where there is one program alone."""
    from unjit.capturing.job import processes

    return processes.rank() if processes.is_one_of_many() else None
