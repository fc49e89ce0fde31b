"""What a rank notes of the job that it is a part of, for who compares the ranks."""

from __future__ import annotations

import json
import sys

from unjit.capturing import processes
from unjit.directory import layout
from unjit.directory.files import Files
from unjit.model import SCHEMA_VERSION, Maybe, Membership, Message, ProcessGroup, Unknown, to_plain
from unjit.torch_private.groups import process_groups


class Member:
    """Writes `distributed.json`, and again when there are more process groups than before."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._written: Membership | None = None

    def write(self) -> None:
        """Write what has changed, if this process is a rank."""
        rank = processes.rank()
        if rank is None or processes.world_size() < 2:
            return
        found = Membership(rank, processes.world_size(), _groups())
        known_before = self._written is not None and isinstance(found.groups, Unknown)
        if found != self._written and not known_before:
            self._written = found
            text = json.dumps({"schema": SCHEMA_VERSION, **to_plain(found)}, indent=1)
            self._files.write(layout.DISTRIBUTED, f"{text}\n")


def _groups() -> Maybe[tuple[ProcessGroup, ...]]:
    if "torch.distributed" not in sys.modules or not sys.modules["torch.distributed"].is_initialized():
        return Unknown(Message("the rank had left the job, or had not joined it, when it was asked"))
    return process_groups()
