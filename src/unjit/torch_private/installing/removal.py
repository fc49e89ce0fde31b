"""Taking entries out of Dynamo's cache: one, or all of a function."""

from __future__ import annotations

from types import CodeType
from typing import Any

from unjit.model import Message, Unknown
from unjit.torch_private.cache.resets import entries_stay, no_compile
from unjit.torch_private.installing.asking import is_asking
from unjit.torch_private.installing.installation import Installed, lock, take_out_first
from unjit.torch_private.probes import install_probes as probes

_ASKING = Unknown(Message("a condition of an entry is being asked, and Dynamo is looking through its entries"))


def remove(installed: Installed, reason: str) -> Unknown | None:
    """Take out one entry of ours: it is off at once, and gone when nobody can be looking at it."""
    with lock:
        installed.switch.off(reason)
        if installed.position == "first":
            take_out_first(installed.owner)  # where that has to wait, it is off already
            return None
        return None if is_asking() else invalidate(installed.guards.manager, reason)


def invalidate(manager: Any, reason: str) -> Unknown | None:
    """Take out the ordinary entry with these guards. Dynamo lists it last from then on, as invalid, with the reason."""
    with entries_stay() as freed, lock:
        if freed is not None:
            return freed
        entry, state = probes.CACHE_ENTRY.of(manager), probes.EXTRA_STATE.of(manager)
        deleted = probes.DELETED.call(reason)
        for missing in (entry, state, deleted):
            if isinstance(missing, Unknown):
                return missing
        if is_asking():
            return _ASKING
        if entry is None or state is None:
            return Unknown(Message("it is not in Dynamo's cache any more"))
        answer = probes.INVALIDATE.call_on(state, entry, deleted)
        return answer if isinstance(answer, Unknown) else None


def reset(code: CodeType) -> Unknown | None:
    """Take out everything that Dynamo keeps for a function: all entries, and what it learnt of its shapes."""
    with no_compile(), lock:
        if is_asking():
            return _ASKING
        answer = probes.RESET_CODE.call(code)
        return answer if isinstance(answer, Unknown) else None
