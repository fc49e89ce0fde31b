"""What a user asks `unjit run` to show: passed as one string from the command to the process that explains."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Options:
    """What to show at the end of a run. `json_file` is a path, or "-" for stdout."""

    verbose: bool = False
    only: str | None = None
    json_file: str | None = None

    def dump(self) -> str:
        """One string that `load` reads."""
        return json.dumps(asdict(self))

    @classmethod
    def load(cls, text: str) -> Options:
        """The inverse of `dump`."""
        return cls(**json.loads(text))
