"""What a user asks `unjit run` to show: passed as one string from the command to the process that explains."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Options:
    """What to show at the end of a run. `json_file` is a path, or "-" for stdout.

    `out` is the directory of a capture; a process that `joins` one was started by another that captures, and says
    nothing. `step` names a function to step through, `debug` asks for files that a debugger can stop in. `compare` asks
    to compare backends on the calls that the program makes, and for nothing else.
    """

    verbose: bool = False
    only: str | None = None
    json_file: str | None = None
    out: str | None = None
    joins: bool = False
    parent: str | None = None  # the rank that started this process
    step: str | None = None  # the function to step through
    debug: bool = False
    redact: bool = False  # what is written is to be safe to share
    fresh: bool = False  # torch's caches are to be empty ones
    compare: bool = False
    backends: tuple[str, ...] = ()  # to compare; none: unjit.compare's and the program's own
    calls: int = 0  # of each function to compare
    pipe: int = -1  # the file descriptor on which the answer goes to `unjit compare`

    def dump(self) -> str:
        """One string that `load` reads."""
        return json.dumps(asdict(self))

    @classmethod
    def load(cls, text: str) -> Options:
        """The inverse of `dump`."""
        values = json.loads(text)
        return cls(**{**values, "backends": tuple(values["backends"])})
