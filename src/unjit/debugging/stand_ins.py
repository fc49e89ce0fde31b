"""What was compiled before a block: code on pages in place of the entries that Dynamo has, under the same guards."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from types import CodeType

from unjit.debugging.codes import Codes
from unjit.debugging.folder import Stop
from unjit.model import Maybe, Message, Unknown
from unjit.observe.entries.entry import open_entry
from unjit.torch_private.cache.ahead_of_time import functions_ahead
from unjit.torch_private.cache.entries import RawEntry, entries_of
from unjit.torch_private.calling.callers import caller_at_work
from unjit.torch_private.following.undoing import surely
from unjit.torch_private.guard_trees.guard_copies import copy_guards
from unjit.torch_private.installing.asking import Decide
from unjit.torch_private.installing.installation import Installed, install_first, installed_by, why_none_first
from unjit.torch_private.installing.removal import remove

_AGAIN = "call torch._dynamo.reset() and compile it again inside the block"


class StandIns:
    """Entries of ours before all others, from `put` to `take_away`."""

    def __init__(self, codes: Codes) -> None:
        self._codes = codes
        self._undo = contextlib.ExitStack()
        self._met: list[CodeType] = []
        self.refused: list[Message] = []

    def put(self, owner: CodeType) -> Iterator[Stop | str]:
        """Put the entries of a function on pages, and those of the functions in which it goes on."""
        if any(owner is met for met in self._met):
            return
        self._met.append(owner)
        found = entries_of(owner)
        yield from self._put_ahead(owner)
        entries = [] if isinstance(found, Unknown) else [entry for entry in found if isinstance(entry.code, CodeType)]
        reason = _refusal(found if isinstance(found, Unknown) else entries)
        if reason is not None:
            self.refused.append(Message(f"{owner.co_name}: {reason}"))
            return
        made = []
        for entry in entries:
            assert isinstance(entry.code, CodeType)
            placed, stop = self._codes.place(owner, entry.code, entry.compile_id, older=True)
            made.append(placed)
            yield stop
            scope = entry.globals if isinstance(entry.globals, dict) else None
            yield from self._codes.place_graphs(scope)
        for entry, code in reversed(list(zip(entries, made, strict=True))):  # the last one put is tried first
            self._stand_in(owner, entry, code)
        for entry in entries:
            for _, resume in open_entry(entry).resumes:
                yield from self.put(resume)

    def _put_ahead(self, owner: CodeType) -> Iterator[Stop | str]:
        """What aot_compile made of a function: no cache has it, so that its own function gets the code on the page."""
        for entry, runs in functions_ahead(owner):
            assert isinstance(entry.code, CodeType)
            placed, stop = self._codes.place(owner, entry.code, entry.compile_id, older=True)
            yield stop
            yield from self._codes.place_graphs(runs.__globals__)
            self._undo.callback(setattr, runs, "__code__", runs.__code__)
            runs.__code__ = placed

    def take_away(self) -> None:
        """Leave Dynamo with the entries that it had, and with those that it has made since."""
        self._undo.close()

    def _stand_in(self, owner: CodeType, entry: RawEntry, code: CodeType) -> None:
        copied = copy_guards(entry.guard_manager, conditions=_only_its_calls(entry))
        assert isinstance(entry.code, CodeType)
        done: Maybe[Installed] = (
            copied
            if isinstance(copied, Unknown)
            else install_first(Installed(owner, code, copied, made_from=entry.code, stands_for=_name(entry)))
        )
        if isinstance(done, Unknown):
            self.refused.append(Message(f"{owner.co_name}: {done.reason}; {_AGAIN}"))
        else:
            self._undo.callback(surely, partial(remove, done, "the block of unjit.debug has ended"))


def _name(entry: RawEntry) -> str:
    return "of unknown number" if isinstance(entry.compile_id, Unknown) else str(entry.compile_id)


def _only_its_calls(entry: RawEntry) -> list[tuple[Decide, str]]:
    """A condition: that Dynamo would look at this entry for the call. Before all other entries nothing else asks it.

    A call of which torch does not tell the backend counts as one.
    """
    if isinstance(entry.live_backend, Unknown):
        return []
    backend, region = entry.live_backend, entry.region
    return [(lambda _: caller_at_work().may_use(backend, region), f"called for the backend {entry.backend}")]


def _refusal(entries: Maybe[list[RawEntry]]) -> Message | None:
    """Why nothing can stand in for these entries: said, so that nobody waits at a breakpoint that is never reached."""
    for found in (entries, why_none_first() if entries else None):
        if isinstance(found, Unknown):
            return Message(f"{found.reason}; {_AGAIN}")
    assert not isinstance(entries, Unknown)
    told = _taken(entries) or _indistinct(entries)
    return None if told is None else Message(told)


def _taken(entries: list[RawEntry]) -> str | None:
    """What has the place before the ordinary entries, which stand-ins would take, and what to do about it."""
    ahead = [entry for entry in entries if entry.kind != "cache entry"]
    ours = [made for made in (installed_by(entry.guard_manager) for entry in ahead) if made is not None]
    if any(made.stands_for is not None for made in ours):
        return "another block of unjit.debug has put its entries into files, and lasts still: stop in those"
    if ours:
        return "entries that you installed are among its own, and have no files: remove them before the block"
    return f"it has precompiled entries, which run before all others and have no files; {_AGAIN}" if ahead else None


def _indistinct(entries: list[RawEntry]) -> str | None:
    """Why code before the cache could be taken where Dynamo would not take the entry that it stands for."""
    found = [entry.backend for entry in entries if entry.kind == "cache entry"]
    unknown = next((backend for backend in found if isinstance(backend, Unknown)), None)
    if unknown is not None and len(found) > 1:
        return f"its entries may be of several backends, which stand-ins cannot tell apart ({unknown.reason}); {_AGAIN}"
    return None
