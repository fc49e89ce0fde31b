"""Reading Dynamo's lists of entries while other threads compile and reset."""

from __future__ import annotations

import contextlib
import gc
import itertools
import operator
from collections.abc import Iterable, Iterator
from types import CodeType
from typing import Any

from unjit.model import Maybe, Message, Unknown
from unjit.model.words.wording import in_words
from unjit.torch_private.cache.resets import entries_stay
from unjit.torch_private.probes.probe import Probe


def read_entries(listing: Probe, owner: CodeType, attributes: Iterable[Probe]) -> Maybe[list[dict[Probe, Any]]]:
    """These attributes of all entries that `listing` gives for a function, in its order; or why it cannot be listed.

    An attribute that this torch does not have is `Unknown`.

    torch's objects for the entries point into its list without keeping it alive, and a reset by another thread frees
    it. So none may be under way, and beside a compile, which a reset may follow, list and attributes are read in one
    step of the interpreter, in which no other thread can run.
    """
    listed = listing.get()
    if isinstance(listed, Unknown):
        return listed
    with entries_stay() as freed:
        if freed is not None:
            return freed
        try:
            return _read(listed, owner, [*attributes])
        except Exception as error:
            return Unknown(Message(f"{listing.name} raised {in_words(error)}"))


def _read(listed: Any, owner: CodeType, attributes: list[Probe]) -> list[dict[Probe, Any]]:
    kinds = set(map(type, _entries(listed, owner)))
    missing = {probe: probe.missing() for probe in attributes if not all(hasattr(kind, _last(probe)) for kind in kinds)}
    there = [probe for probe in attributes if probe not in missing]
    read = operator.attrgetter("__class__", "__class__", *map(_last, there))  # of two names at least it makes a tuple
    with no_collection():
        found = list(map(read, _entries(listed, owner)))
    return [missing | dict(zip(there, values[2:], strict=True)) for values in found]


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """A collection in the middle of the step would run finalizers in Python, and with them other threads."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _entries(listed: Any, owner: CodeType) -> Iterable[Any]:
    """Not listed before somebody asks for the first: then in the same step as what is done with each."""
    return itertools.chain.from_iterable(map(listed, [owner]))


def _last(probe: Probe) -> str:
    return probe.name.rpartition(".")[2]
