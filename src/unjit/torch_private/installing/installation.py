"""Entries of ours before all others: what torch keeps for precompiled code, which it tries first.

torch can add one at the end and drop all. Everything else is done by dropping all and adding them again, which is safe
only while nobody walks along the list: no condition is being asked and no other thread calls compiled code. What
cannot be taken out now is switched off, which C++ sees at once, and is taken out at a later change.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Literal

from unjit.bytecode.frame import why_not_in_place_of
from unjit.model import Maybe, Message, Unknown
from unjit.torch_private.cache.reading import read_entries
from unjit.torch_private.guard_trees.guard_copies import GuardCopy, Switch
from unjit.torch_private.installing.asking import hold_resets_back, is_asking
from unjit.torch_private.probes import install_probes as probes
from unjit.torch_private.probes import probes as reading_probes
from unjit.torch_private.probes.probe import Probe

Position = Literal["first", "cache"]
_INSTALLED = "unjit_installed"  # the attribute of torch's guards that leads to an Installed
_FOREIGN = Unknown(Message("another program's precompiled entries are there, whose code torch does not tell"))
_BUSY = Unknown(Message("Dynamo may be looking through the entries just now"))

lock = threading.RLock()  # held while Dynamo's lists are changed

# torch's debugger callback runs between the choice of an entry and its run, with no reference to the code that was
# chosen: code that is taken out there must outlive the call.
_taken_out: deque[CodeType] = deque(maxlen=256)


@dataclass(eq=False)
class Installed:
    """One entry of ours in Dynamo's cache."""

    owner: CodeType  # the function that has the entry
    code: CodeType
    guards: GuardCopy
    position: Position = "first"
    made_from: CodeType | None = None  # when it dies, Dynamo takes what it names out of the globals: it is kept alive

    @property
    def switch(self) -> Switch:
        return self.guards.switch


def others_may_be_looking() -> bool:
    """Whether another thread may be in the middle of a call of compiled code.

    Dynamo looks for entries only within a call through its own wrapper, which has a frame on the thread's stack.
    """
    frames = sys._current_frames()
    others = (thread for thread in threading.enumerate() if thread is not threading.current_thread())
    return any(_is_within_dynamo(frames.get(thread.ident or 0)) for thread in others)


def _is_within_dynamo(frame: FrameType | None) -> bool:
    folder = str(Path(str(sys.modules["torch"].__file__)).with_name("_dynamo"))
    while frame is not None:
        if frame.f_code.co_filename.startswith(folder):
            return True
        frame = frame.f_back
    return False


def mark(installed: Installed) -> None:
    """Let the entry be found again through its guards in Dynamo's cache: no list of ours can then be out of date."""
    reasons = why_not_in_place_of(installed.owner, installed.code)
    assert not reasons, reasons
    if installed.guards.conditions:
        hold_resets_back()
    setattr(installed.guards.manager, _INSTALLED, installed)


def installed_by(manager: Any) -> Installed | None:
    """What we installed with these guards; None if they are not ours."""
    found = getattr(manager, _INSTALLED, None)
    return found if isinstance(found, Installed) else None


def install_first(made: Installed) -> Maybe[Installed]:
    """Put an entry before all others, so that it is tried first at the next call.

    Behind another program's precompiled entries, and behind older ones of ours while the list is in use.
    """
    mark(made)
    with lock:
        done = _replace(made.owner, [made, *_ours(made.owner)])
        if isinstance(done, Unknown):
            done = probes.LOAD_FIRST.call(made.owner, made.guards.manager, made.code)
    return done if isinstance(done, Unknown) else made


def take_out_first(owner: CodeType) -> Unknown | None:
    """Take out the entries that are switched off; Unknown, and all stay for now, if that is not safe."""
    with lock:
        before = _managers(owner)
        if all(map(_is_on, before)):
            return None
        _taken_out.extend(found.code for found in map(installed_by, before) if found and not found.switch.is_on)
        return _replace(owner, _ours(owner))


def installed_entries(owner: CodeType) -> list[Installed]:
    """All our entries of a function that can be taken, in the order in which Dynamo tries them."""
    managers = _guards(reading_probes.CACHE_ENTRIES, owner)
    return [*_ours(owner), *(found for found in map(installed_by, managers) if found is not None)]


def installed_first(owner: CodeType) -> list[Installed]:
    """Our entries before all others that can be taken, in the order in which Dynamo tries them."""
    return _ours(owner)


def is_in_cache(owner: CodeType, manager: Any) -> bool:
    """Whether Dynamo has an entry with these guards that can be taken."""
    entry = probes.CACHE_ENTRY.of(manager)
    if entry is not None and not isinstance(entry, Unknown):
        found = installed_by(manager)
        return found is None or found.switch.is_on
    return any(manager is other and _is_on(other) for other in _managers(owner))


def _ours(owner: CodeType) -> list[Installed]:
    found = map(installed_by, _managers(owner))
    return [installed for installed in found if installed is not None and installed.switch.is_on]


def _is_on(manager: Any) -> bool:
    found = installed_by(manager)
    return found is None or found.switch.is_on


def _managers(owner: CodeType) -> list[Any]:
    """The guards of all precompiled entries, ours and others'."""
    return _guards(reading_probes.PRECOMPILE_ENTRIES, owner)


def _guards(listing: Probe, owner: CodeType) -> list[Any]:
    found = read_entries(listing, owner, [reading_probes.ENTRY_GUARDS])
    return [] if isinstance(found, Unknown) else [entry[reading_probes.ENTRY_GUARDS] for entry in found]


def _replace(owner: CodeType, wanted: Iterable[Installed]) -> Unknown | None:
    """Make the list these entries, in one step of the interpreter, so that no thread sees a part of it."""
    drop, load = probes.DROP_FIRST.get(), probes.LOAD_FIRST.get()
    if isinstance(drop, Unknown) or isinstance(load, Unknown):
        return drop if isinstance(drop, Unknown) else load
    if is_asking() or others_may_be_looking():
        return _BUSY
    if any(installed_by(manager) is None for manager in _managers(owner)):
        return _FOREIGN
    steps = [functools.partial(load, owner, one.guards.manager, one.code) for one in wanted]
    deque(map(functools.partial.__call__, [functools.partial(drop, owner), *steps]), maxlen=0)
    return None
