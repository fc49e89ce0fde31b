"""Entries of ours before all others: what torch keeps for precompiled code, which it tries first.

torch can add one at the end and drop all. Everything else is done by dropping all and adding them again, which is safe
only while nobody walks along the list: no condition is being asked and no other thread calls compiled code. What
cannot be taken out now is switched off, which C++ sees at once, and is taken out at a later change.
"""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from types import CodeType
from typing import Any, Literal

from unjit.bytecode.functions.frame import why_not_in_place_of
from unjit.model import Maybe, Message, Unknown, first_unknown
from unjit.torch_private.cache.reading import read_entries
from unjit.torch_private.guard_trees.guard_copies import GuardCopy, Switch
from unjit.torch_private.installing.asking import hold_resets_back, is_asking
from unjit.torch_private.installing.codes import remember
from unjit.torch_private.installing.looking import keep_alive, unless_others_look
from unjit.torch_private.probes import cache_probes
from unjit.torch_private.probes import install_probes as probes
from unjit.torch_private.probes.probe import Probe

Position = Literal["first", "cache"]
_INSTALLED = "unjit_installed"  # the attribute of torch's guards that leads to an Installed
_FOREIGN = Unknown(Message("another program's precompiled entries are there, whose code torch does not tell"))
BUSY = Unknown(Message("Dynamo may be looking through the entries just now"))

_owners: dict[int, weakref.ref[CodeType]] = {}  # by identity: functions that had an entry of ours, now or once

lock = threading.RLock()  # held while Dynamo's lists are changed


@dataclass(eq=False)
class Installed:
    """One entry of ours in Dynamo's cache."""

    owner: CodeType  # the function that has the entry
    code: CodeType
    guards: GuardCopy
    position: Position = "first"
    made_from: CodeType | None = None  # when it dies, Dynamo takes what it names out of the globals: it is kept alive
    stands_for: str | None = None  # the compile whose entry it is a copy of while a block lasts

    @property
    def switch(self) -> Switch:
        return self.guards.switch


def mark(installed: Installed) -> None:
    """Let the entry be found again through its guards in Dynamo's cache: no list of ours can then be out of date."""
    reasons = why_not_in_place_of(installed.owner, installed.code)
    assert not reasons, reasons
    if installed.guards.conditions:
        hold_resets_back()
    setattr(installed.guards.manager, _INSTALLED, installed)
    remember(installed.code, installed.made_from)
    number = id(installed.owner)
    _owners[number] = weakref.ref(installed.owner, lambda gone: _forget(number, gone))


def _forget(number: int, gone: weakref.ref[CodeType]) -> None:
    if _owners.get(number) is gone:
        del _owners[number]


def owners() -> list[CodeType]:
    """Functions that may have entries of ours: of one that got its first after a reset, Dynamo has seen nothing."""
    return [code for found in list(_owners.values()) if (code := found()) is not None]


def installed_by(manager: Any) -> Installed | None:
    """What we installed with these guards; None if they are not ours."""
    found = getattr(manager, _INSTALLED, None)
    return found if isinstance(found, Installed) else None


def install_first(made: Installed) -> Maybe[Installed]:
    """Put an entry before all others, so that it is tried first at the next call.

    After another program's precompiled entries, and after older ones of ours while the list is in use.
    """
    lacking = why_none_first()
    if lacking is not None:
        return lacking
    mark(made)
    with lock:
        done = _replace(made.owner, [made, *installed_first(made.owner)])
        if isinstance(done, Unknown):
            done = probes.LOAD_FIRST.call(made.owner, made.guards.manager, made.code)
    return done if isinstance(done, Unknown) else made


def why_none_first() -> Unknown | None:
    """Why no entry can be put before all others; None if one can.

    torch 2.8 puts them there, and cannot tell afterwards which they are.
    """
    needed = probes.LOAD_FIRST, cache_probes.PRECOMPILE_ENTRIES, probes.DROP_FIRST
    return first_unknown(*(probe.get() for probe in needed))


def take_out_first(owner: CodeType) -> Unknown | None:
    """Take out the entries that are switched off; Unknown, and all stay for now, if that is not safe."""
    with lock:
        before = _managers(owner)
        if all(map(_is_on, before)):
            return None
        keep_alive(found.code for found in map(installed_by, before) if found and not found.switch.is_on)
        return _replace(owner, installed_first(owner))


def installed_entries(owner: CodeType) -> list[Installed]:
    """All our entries of a function that can be taken, in the order in which Dynamo tries them."""
    managers = _guards(cache_probes.CACHE_ENTRIES, owner)
    return [*installed_first(owner), *(found for found in map(installed_by, managers) if found is not None)]


def installed_first(owner: CodeType) -> list[Installed]:
    """Our entries before all others that can be taken, in the order in which Dynamo tries them."""
    found = map(installed_by, _managers(owner))
    return [installed for installed in found if installed is not None and installed.switch.is_on]


def is_in_cache(owner: CodeType, manager: Any) -> bool:
    """Whether Dynamo has an entry with these guards that can be taken."""
    entry = probes.CACHE_ENTRY.of(manager)
    if entry is not None and not isinstance(entry, Unknown):
        found = installed_by(manager)
        return found is None or found.switch.is_on
    return any(manager is other and _is_on(other) for other in _managers(owner))


def _is_on(manager: Any) -> bool:
    found = installed_by(manager)
    return found is None or found.switch.is_on


def _managers(owner: CodeType) -> list[Any]:
    """The guards of all precompiled entries, ours and others'."""
    return _guards(cache_probes.PRECOMPILE_ENTRIES, owner)


def _guards(listing: Probe, owner: CodeType) -> list[Any]:
    found = read_entries(listing, owner, [cache_probes.ENTRY_GUARDS])
    return [] if isinstance(found, Unknown) else [entry[cache_probes.ENTRY_GUARDS] for entry in found]


def _replace(owner: CodeType, wanted: Iterable[Installed]) -> Unknown | None:
    """Make the list these entries, unless somebody may be looking along it; no thread sees a part of them."""
    lacking = why_none_first()
    if lacking is not None:
        return lacking
    drop, load = probes.DROP_FIRST.get(), probes.LOAD_FIRST.get()
    if is_asking():
        return BUSY
    before = _managers(owner)  # kept alive until all are there again
    if any(installed_by(manager) is None for manager in before):
        return _FOREIGN
    add = [functools.partial(load, owner, one.guards.manager, one.code) for one in wanted]
    return None if unless_others_look([functools.partial(drop, owner), *add]) else BUSY
