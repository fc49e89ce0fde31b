"""`unjit.dispatch`: the caller chooses which of the existing entries runs, in place of guards."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from unjit.api.entry import EntryHandle
from unjit.api.explain import explain
from unjit.errors import BadTarget, UnjitError
from unjit.model.words.wording import with_article
from unjit.rewrite.copies import EntryCopy

Chosen = EntryHandle | EntryCopy | int | None
Chooser = Callable[..., Chosen]


class Dispatcher:
    """A callable in the place of a compiled function, which asks the chooser instead of guards."""

    def __init__(self, function: Callable[..., Any], chooser: Chooser) -> None:
        self.entries = [entry for entry in explain(function).entries if entry.data.invalid is None]
        if not callable(function):
            raise BadTarget(f"{with_article(type(function).__name__)} object is not what runs; pass the function")
        if not callable(chooser):
            raise UnjitError(f"the chooser is a function of the call's arguments, not {type(chooser).__name__}")
        if not self.entries:
            raise UnjitError("it has no cache entries yet: call the compiled function for each case before")
        functools.update_wrapper(self, function, assigned=("__doc__", "__name__", "__qualname__"), updated=())
        self._function, self._chooser = function, chooser

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the chosen entry gives; what the function gives where the chooser answers None."""
        chosen = self._chooser(*args, **kwargs)
        if chosen is None:
            return self._function(*args, **kwargs)
        return self._entry(chosen).run(*args, **kwargs)

    def _entry(self, chosen: Chosen) -> EntryHandle | EntryCopy:
        if isinstance(chosen, int) and not isinstance(chosen, bool) and 0 <= chosen < len(self.entries):
            chosen = self.entries[chosen]
        if not isinstance(chosen, (EntryHandle, EntryCopy)) or chosen.owner.code() is not self.entries[0].owner.code():
            raise UnjitError(
                f"the chooser answered {chosen!r}: it answers one of .entries, its place from 0 to "
                f"{len(self.entries) - 1}, a copy of one, or None for the function itself"
            )
        if isinstance(chosen, EntryHandle):
            chosen.manager()  # raises where Dynamo dropped it: its code may depend on what is gone
        return chosen

    def __repr__(self) -> str:
        return f"<unjit.dispatch of {getattr(self, '__name__', 'a function')} over {len(self.entries)} cache entries>"


def dispatch(function: Callable[..., Any], chooser: Chooser) -> Dispatcher:
    """A callable that runs the cache entry that `chooser(*args, **kwargs)` chooses, without checking its guards.

    The chooser answers one of the dispatcher's `.entries` (those that exist now, in the order in which Dynamo tries
    them), its place there, a copy of one, or None for a call of the function itself. Whether the chosen entry's
    guards hold is for the chooser to know. Functions in which an entry continues run as plain Python.

    Raises BadTarget for what cannot be called, UnjitError if there are no entries, and at a call for an answer that is
    none of these, Gone for an entry that Dynamo dropped.
    """
    return Dispatcher(function, chooser)
