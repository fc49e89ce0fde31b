"""Entries of ours in Dynamo's cache, by handles that take them out again."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, TracebackType
from typing import TYPE_CHECKING, Any

from unjit.api.entry import EntryHandle
from unjit.errors import Gone, UnjitError, Unsupported
from unjit.model import Maybe, Unknown, known_or
from unjit.model.explained.functions import AHEAD
from unjit.model.words.wording import with_article
from unjit.observe.targets.resolving import resolve
from unjit.torch_private.cache import settings
from unjit.torch_private.cache.entries import entries_of
from unjit.torch_private.cache.resumes import resume_codes_of
from unjit.torch_private.cache.treatment import treatment_of
from unjit.torch_private.installing import removal
from unjit.torch_private.installing.installation import (
    Installed,
    Position,
    install_first,
    installed_by,
    installed_entries,
    is_in_cache,
    owners,
)
from unjit.torch_private.installing.registration import Like, install_in_cache

if TYPE_CHECKING:
    from typing_extensions import Self


class Installation:
    """One entry that unjit put into Dynamo's cache."""

    def __init__(self, made: Installed) -> None:
        self._made = made

    @property
    def position(self) -> Position:
        """Where it was put."""
        return self._made.position

    @property
    def is_installed(self) -> bool:
        """Whether Dynamo can take it at the next call; of a function that Dynamo gave up meanwhile it takes none.

        `unjit.why` tells of such a function.
        """
        return is_in_cache(self._made.owner, self._made.guards.manager)

    @property
    def reason(self) -> str | None:
        """Why it is not installed any more; None while it is."""
        if self.is_installed:
            return None
        return self._made.switch.reason or "torch._dynamo.reset(), or another reset of the function, dropped it"

    @property
    def errors(self) -> list[BaseException]:
        """What its conditions raised, the first of each: an error counts as no, and the entry was not taken."""
        return [condition.error for condition in self._made.guards.conditions if condition.error is not None]

    def remove(self) -> None:
        """Take out this entry and nothing else. At once, from any thread, at any moment; twice does nothing more."""
        removal.remove(self._made, "it was removed")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Installation) and other._made is self._made

    def __hash__(self) -> int:
        return hash(self._made)

    def __repr__(self) -> str:
        state = f"at position {self.position!r}" if self.is_installed else f"not any more: {self.reason}"
        return f"<entry of {self._made.owner.co_name}, installed {state}>"


def install(wanted: Installed, like: Maybe[Like]) -> Installation:
    """Put an entry into the cache of its function. Raises Unsupported where that cannot be done."""
    if wanted.position not in ("first", "cache"):
        raise UnjitError(f"position is 'first' or 'cache', not {wanted.position!r}")
    _refuse_what_would_not_run(wanted, like)
    made: Maybe[Installed]
    if wanted.position == "first":
        made = install_first(wanted)
    else:
        made = like if isinstance(like, Unknown) else install_in_cache(wanted, like)
    if isinstance(made, Unknown):
        raise Unsupported(str(made.reason))
    return Installation(made)


def _refuse_what_would_not_run(wanted: Installed, like: Maybe[Like]) -> None:
    """Of some functions Dynamo asks no entry any more, or takes no new one; it says neither when one is put there."""
    listed, owner = known_or(entries_of(wanted.owner), []), wanted.owner.co_name
    codes = [entry.code for entry in listed if isinstance(entry.code, CodeType)]
    now = treatment_of(wanted.owner, codes, None if isinstance(like, Unknown) else like.region)
    if now == "runs the original":
        raise Unsupported(
            f"Dynamo gave {owner} up: calls run the original, and no entry of it (unjit.why says why); after "
            "unjit.reset of the function it looks again, and this copy can be installed"
        )
    if now == "runs its entries alone" and wanted.position == "cache":
        raise Unsupported(
            f"the recompile limit of {owner} is reached, so that Dynamo makes no new entries of it: install it at "
            f"'first'; or raise {settings.recompile_limit_name()}, call unjit.reset of the function, and install it"
        )


def installed(target: Any = None) -> list[Installation]:
    """The entries that unjit put into the cache of a function and its resume functions, in the order of being tried.

    Without a target: all. Raises BadTarget if the target has no Python code.
    """
    codes = owners() if target is None else list(_codes_of(target))
    return [Installation(made) for code in codes for made in installed_entries(code)]


def reset(target: Any) -> None:
    """Take out everything that Dynamo keeps for a function and its resume functions: the next call compiles again.

    Other functions keep their entries. Waits, for ten seconds at most, until no other thread is in a call of compiled
    code, which would go on in freed memory. Raises BadTarget if the target has no Python code, Unsupported if this
    torch cannot do it, or if such a call goes on.
    """
    for code in _codes_of(target):
        ours = installed_entries(code)
        failed = removal.reset(code)
        if isinstance(failed, Unknown):
            raise Unsupported(str(failed.reason))
        for made in ours:
            made.switch.off("unjit.reset dropped it")


def invalidate(entry: EntryHandle) -> None:
    """Take one entry out of Dynamo's cache. Raises UnjitError if `entry` is none."""
    if not isinstance(entry, EntryHandle):
        raise UnjitError(f"{not_an_entry(entry)}; what was installed is taken out by its .remove()")
    manager, reason = entry.manager(), "it was invalidated by unjit"
    if entry.data.kind == AHEAD:
        raise Unsupported("it is in no cache: what aot_compile returned has it, for as long as the program keeps that")
    made = installed_by(manager)
    failed = removal.invalidate(manager, reason) if made is None else removal.remove(made, reason)
    if isinstance(failed, Unknown):
        raise (Gone if "not in" in str(failed) else Unsupported)(str(failed.reason))


def not_an_entry(given: object) -> str:
    """The message for anything that was given in place of an entry."""
    return f"{with_article(type(given).__name__)} is not a cache entry: pass one of unjit.explain(function).entries"


def _codes_of(target: Any) -> Iterator[CodeType]:
    """The code of a target, of the functions that a module enters, and of all their resume functions."""
    found = resolve(target)
    pending, met = [found.code, *found.parts], set[int]()
    while pending:
        code = pending.pop(0)
        if id(code) not in met:
            met.add(id(code))
            pending += resume_codes_of(code)
            yield code
