"""Taking entries out of Dynamo's cache: one, or all of a function."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Iterator
from types import CodeType
from typing import Any, Final

from unjit.model import Message, Unknown, first_unknown
from unjit.torch_private.cache.resets import entries_stay, no_compile
from unjit.torch_private.installing.asking import ASKING, is_asking, not_held_back
from unjit.torch_private.installing.installation import Installed, lock, take_out_first
from unjit.torch_private.installing.looking import keep_alive, others_may_be_looking, unless_others_look
from unjit.torch_private.probes import cache_probes
from unjit.torch_private.probes import install_probes as probes

_PATIENCE: Final = 10.0  # seconds that a reset waits for calls in other threads
_CALLED: Final = Unknown(
    Message(f"another thread has been in the middle of a call of compiled code for {_PATIENCE:.0f} seconds")
)


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
        missing = first_unknown(entry, state, deleted)
        if missing is not None:
            return missing
        if is_asking():
            return ASKING
        if entry is None or state is None:
            return Unknown(Message("it is not in Dynamo's cache any more"))
        code = cache_probes.ENTRY_CODE.of(entry)
        answer = probes.INVALIDATE.call_on(state, entry, deleted)
        keep_alive([code, manager] if others_may_be_looking() else [code])
        return answer if isinstance(answer, Unknown) else None


def reset(code: CodeType) -> Unknown | None:
    """Take out everything that Dynamo keeps for a function: all entries, and what it learnt of its shapes.

    Waits until no other thread is in the middle of a call of compiled code, which would go on in freed memory.
    """
    missing = probes.RESET_CODE.get()
    if isinstance(missing, Unknown):
        return missing
    deadline = time.monotonic() + _PATIENCE
    while True:
        with no_compile(), lock:
            if is_asking():
                return ASKING
            kept: list[object] = []
            frees = functools.partial(not_held_back(probes.RESET_CODE), code)
            if unless_others_look([*_keep_contents(code, kept), frees]):
                return None
        if time.monotonic() > deadline:
            return _CALLED
        time.sleep(0.001)  # without the locks, for which those calls may wait


def _keep_contents(code: CodeType, kept: list[object]) -> Iterator[functools.partial[None]]:
    """Steps that put what Dynamo's entries for a function are made of into `kept`, as far as this torch tells it."""
    for listing in (cache_probes.CACHE_ENTRIES, cache_probes.PRECOMPILE_ENTRIES):
        listed = listing.get()
        for part in (cache_probes.ENTRY_GUARDS, cache_probes.ENTRY_CODE, cache_probes.ENTRY_BACKEND):
            if not isinstance(listed, Unknown):
                entries = itertools.chain.from_iterable(itertools.starmap(listed, ((code,),)))
                name, absent = itertools.repeat(part.attribute), itertools.repeat(None)
                yield functools.partial(kept.extend, map(getattr, entries, name, absent))
