"""What torch's caches write of a look-up, without what differs from run to run."""

from __future__ import annotations

import json
import re
from typing import Final

_VOLATILE: Final = re.compile(r"time|_ns$|_ms$|^key$")
_COMPONENTS: Final = "components"  # what the key was made of: all of torch's configuration, again for each graph
_LOOK_UPS: Final = ("_cache_hit", "_cache_miss", "_cache_bypass")


def is_look_up(kind: str) -> bool:
    """Whether a record of torch's trace tells what a cache answered."""
    return kind.endswith(_LOOK_UPS)


def read_cache_record(payload: str) -> str:
    """The record as JSON, one field to a line; a text that is no JSON is kept as it is."""
    try:
        record = json.loads(payload)
    except ValueError:
        return payload
    if not isinstance(record, dict):
        return payload
    kept = {name: value for name, value in record.items() if name != _COMPONENTS and not _VOLATILE.search(name)}
    return json.dumps(kept, indent=1, default=str)
