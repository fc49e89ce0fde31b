"""How many entries a function has, in words: those in Dynamo's cache, and what was compiled ahead of time beside it."""

from __future__ import annotations

from collections.abc import Iterable

from unjit.model import Entry
from unjit.model.explained.functions import AHEAD, EntryKind
from unjit.render.forms.outline import count


def entries_counted(kinds: Iterable[EntryKind]) -> str:
    """`2 cache entries`, `1 entry made ahead of time`, or both."""
    found = list(kinds)
    ahead = found.count(AHEAD)
    cached = len(found) - ahead
    told = [count(cached, "cache entry", "cache entries")] if cached or not ahead else []
    told += [count(ahead, f"entry made {AHEAD}", f"entries made {AHEAD}")] if ahead else []
    return " and ".join(told)


def out_of_use(entries: Iterable[Entry]) -> int:
    """How many of them Dynamo no longer uses, where it uses others: a function without any is told by its state."""
    found = [entry.invalid is not None for entry in entries]
    return 0 if all(found) else sum(found)
