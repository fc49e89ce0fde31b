"""What a rank notes of the job that it is a part of, for whoever compares the ranks."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from types import CodeType

from unjit.capturing.job import processes
from unjit.capturing.job.runs import RunLog
from unjit.directory import layout
from unjit.directory.files import DiskFiles, Files
from unjit.model import SCHEMA_VERSION, Maybe, Membership, Message, ProcessGroup, Unknown, to_plain
from unjit.torch_private.process_groups import process_groups


class Member:
    """Writes `distributed.json`, and again when there are more process groups than before, and `runs.txt`.

    `clean` gives what may be seen of it. A process that a rank started (`of_rank`) is none, though it may look so.
    """

    def __init__(self, files: Files, clean: Callable[[Membership], Membership], *, of_rank: bool = False) -> None:
        self._files = files
        self._clean = clean
        self._of_rank = of_rank
        self._written: Membership | None = None
        self._runs: RunLog | None = None
        self._is_asked = False  # whether this torch tells when compiled code runs

    def write(self) -> None:
        """Write what has changed, if this process is a rank."""
        rank = processes.rank()
        if rank is None or not self._takes_part:
            return
        found = Membership(rank, processes.world_size(), _groups())
        known_before = self._written is not None and isinstance(found.groups, Unknown)
        if found != self._written and not known_before:
            self._written = found
            text = json.dumps({"schema": SCHEMA_VERSION, **to_plain(self._clean(found))}, indent=1)
            self._files.write(layout.DISTRIBUTED, f"{text}\n")

    def made(self, code: CodeType, order: int) -> None:
        """A compile made this code: from now on its runs are written down."""
        if not self._is_asked and self._takes_part and isinstance(self._files, DiskFiles):
            self._is_asked = True
            self._begin(self._files)
        if self._runs is not None:
            self._runs.watch(code, order)

    def _begin(self, files: DiskFiles) -> None:
        try:
            runs = RunLog(files.top / layout.RUNS)
        except OSError as error:
            files.losses.append(f"{layout.RUNS} could not be written: {error.strerror}")
            return
        if runs.begin():
            self._runs = runs
        else:
            files.remove(layout.RUNS)

    def finish(self) -> None:
        """The capture is over, or goes on in another process."""
        runs, self._runs = self._runs, None
        if runs is not None:
            runs.finish()
            self._files.losses.extend([runs.error] if runs.error else [])

    @property
    def _takes_part(self) -> bool:
        return not self._of_rank and processes.is_one_of_many()


def _groups() -> Maybe[tuple[ProcessGroup, ...]]:
    if "torch.distributed" not in sys.modules or not sys.modules["torch.distributed"].is_initialized():
        return Unknown(Message("the rank had left the job, or had not joined it, when it was asked"))
    return process_groups()
