"""Which logs there are at a path, and whose each of them is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from unjit.errors import UnjitError
from unjit.ingesting.records import LogFile

_RANK: Final = re.compile(r"rank_(\d+)_")
_ADVICE: Final = "give the folder that TORCH_TRACE named, or one log in it"


def find(path: Path) -> list[LogFile]:
    """The logs in a folder, or the one at this path, by rank and then by name; UnjitError if there is none."""
    try:
        if not path.is_dir():
            return [_the_log(path)]
        found = [log for log in map(LogFile, path.iterdir()) if log.path.is_file() and log.is_log()]
    except OSError as error:
        raise UnjitError(f"{path} cannot be read: {error.strerror}; {_ADVICE}") from None
    if not found:
        raise UnjitError(f"{path} has no log of torch's trace in it; {_ADVICE}")
    return sorted(found, key=lambda log: (_rank(log) is None, int(_rank(log) or 0), log.path.name))


def _the_log(path: Path) -> LogFile:
    log = LogFile(path)
    if not log.is_log():
        raise UnjitError(f"{path} is no log of torch's trace: it does not begin as one does; {_ADVICE}")
    return log


def names(logs: list[LogFile]) -> list[str]:
    """What the process of each log is called in a directory: by its rank, or by its number among those of no rank."""
    wanted = [f"rank_{rank}" if (rank := _rank(log)) is not None else "process" for log in logs]
    counts: dict[str, int] = {}
    found = []
    for name in wanted:
        counts[name] = counts.get(name, 0) + 1
        found.append(name if counts[name] == 1 else f"{name}_{counts[name]}")
    return found


def _rank(log: LogFile) -> str | None:
    """torch writes it into the name of the file, where it is known when the log begins."""
    match = _RANK.search(log.path.name)
    return match[1] if match else None
