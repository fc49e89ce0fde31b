"""Entries that may be for something else than what was asked about, because several things share their code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unjit.model import Entry, Unknown
from unjit.model.explained.functions import AHEAD
from unjit.render.forms.outline import Item, Section, count, fact
from unjit.render.functions.answers import condition_text

_MOST = 3  # failing guards shown: the first says enough


def relevance_items(entry: Entry) -> Iterator[Item]:
    """What keeps the entry from running when that is called which was asked about; nothing where nothing does.

    It may be of another module, or of this one before it was changed: Dynamo does not note which.
    """
    relevance = entry.relevance
    if relevance is None or not relevance.failed:
        return
    if isinstance(relevance.failed, Unknown):
        yield f"Whether it can run for the {relevance.asked} that was asked about is {relevance.failed}."
        return
    failed = relevance.failed
    lines = [condition_text(condition) for condition in failed[:_MOST]]
    lines += [f"and {count(len(failed) - _MOST, 'other')}"] if len(failed) > _MOST else []
    guards = f"{count(len(failed), 'guard')} on it {'does' if len(failed) == 1 else 'do'} not hold."
    yield Section(f"It cannot run for the {relevance.asked} that was asked about, as it is now: {guards}", tuple(lines))


def is_of_another(entry: Entry) -> bool:
    """Whether the entry cannot run when that is called which was asked about."""
    return entry.relevance is not None and not entry.relevance.may_run


def told_in_short(entries: Sequence[Entry]) -> set[int]:
    """The indices of entries to show in brief: they cannot run for what was asked about, and others can."""
    others = {entry.index for entry in entries if is_of_another(entry)}
    return others if len(others) < len(entries) else set()


def entry_in_short(entry: Entry, of: int) -> Section:
    """What was made, and why it cannot run."""
    whole = f"in full: print(explanation.entries[{entry.index}])"
    return Section(entry_title(entry, of), (f"{', '.join(made_by(entry))}; {whole}", *relevance_items(entry)))


def entry_title(entry: Entry, of: int) -> str:
    """The one that is tried first is `Cache entry 0/1 (1 of 2)`, or without a compile `Cache entry number 1 of 2`."""
    rest = f"of {of}" if isinstance(entry.compile_id, Unknown) else f"({entry.index + 1} of {of})"
    name = entry.name.capitalize() if entry.kind == AHEAD else f"Cache {entry.name}"
    return f"{name} {rest}"


def made_by(entry: Entry) -> Iterator[str]:
    """Why its compile is not known, if that is so, and the backend."""
    if isinstance(entry.compile_id, Unknown):
        yield f"compile {fact(entry.compile_id)}"
    yield f"backend {fact(entry.backend)}"


def how_many_can_run(entries: Sequence[Entry]) -> str:
    """A sentence on the entries of a function, where some cannot run for what was asked about; else nothing."""
    others = [entry for entry in entries if is_of_another(entry)]
    if not others:
        return ""
    relevance, number = others[0].relevance, len(entries) - len(others)
    assert relevance is not None, "it was asked about"
    can = "It cannot" if len(entries) == 1 else f"{number or 'None'} of them can"
    return f" {can} run for the {relevance.asked} that was asked about, as it is now."
