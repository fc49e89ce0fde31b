"""Cache entries run by hand, copied, changed, put into Dynamo's cache and taken out of it.

entry = unjit.explain(function).entries[0]
new = entry.copy(guards=[rewrite.drop("k"), "x.shape[0] >= 5"], code=entry.code.source.replace("* 2", "* 3"))
new.run(x), new.check(x)
with new.install():
    compiled(x)
"""

from __future__ import annotations

from unjit.rewrite.copies import EntryCopy, copied, edited
from unjit.rewrite.dispatching import Dispatcher, dispatch
from unjit.rewrite.guard_changes import GuardChange, drop, keep, only, replace, require
from unjit.rewrite.installing import Installation, installed, invalidate, reset

__all__ = [
    "Dispatcher",
    "EntryCopy",
    "GuardChange",
    "Installation",
    "copied",
    "dispatch",
    "drop",
    "edited",
    "installed",
    "invalidate",
    "keep",
    "only",
    "replace",
    "require",
    "reset",
]
