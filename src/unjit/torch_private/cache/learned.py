"""What Dynamo learns from a compile besides its entry: which sizes have varied, and how often what happened.

By the first it decides which sizes the next compile keeps open, so that what somebody else compiled in between would
change what a program computes with.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from typing import Any

from unjit.model import Unknown
from unjit.torch_private.cache.history import counters
from unjit.torch_private.probes import history_probes as probes


@contextlib.contextmanager
def forgotten_afterwards() -> Iterator[None]:
    """A block after which Dynamo forgets what it learned within it."""
    before = copy.deepcopy(_learned())
    try:
        yield
    finally:
        for now, then in zip(_learned(), before, strict=True):
            now.clear()
            now.update(then)


def _learned() -> list[dict[Any, Any]]:
    """Sizes by code, and counters by group, as they are kept; an empty dict where this torch has none."""
    sizes = probes.SIZES_SEEN.call()
    return [{} if isinstance(sizes, Unknown) else sizes, counters()]
