"""One function in one line."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from unjit.model import Compile, Function, Unknown, known_or
from unjit.render.forms.outline import count, fact, listed
from unjit.render.forms.places import file_name
from unjit.render.functions.compiles import around, breaks_of, by_autograd, goes_on_uncompiled, wrapped
from unjit.render.functions.entry_counts import entries_counted, out_of_use

_MOST = 200  # characters of a reason: all of it stands with the function's compiles


def summary_line(function: Function, *more: str) -> str:
    """`toy  d.py:3  2 cache entries, 2 graphs, 1 graph break, 2 resume functions`, and what else is told of it.

    A state comes last, as its words may end in a sentence.
    """
    place = function.begins
    return f"{function.key}  {file_name(place)}:{fact(place.line)}  {', '.join(_facts(function, more))}"


def _facts(function: Function, more: tuple[str, ...]) -> list[str]:
    if not function.entries:
        return [*by_autograd(_known(function)), *wrapper(function), *more, f"no cache entries: {state(function)}"]
    facts = [
        *by_autograd(_known(function)),
        *wrapper(function),
        *_whose(function),
        entries_counted(entry.kind for entry in function.entries),
        *([f"{gone} of them no longer used"] if (gone := out_of_use(function.entries)) else []),
        _graphs(function),
    ]
    if isinstance(function.compiles, Unknown):
        facts.append(f"breaks {function.compiles}")
    elif breaks := breaks_of(function.compiles):
        facts.append(count(len(breaks), "graph break"))
    if any(goes_on_uncompiled(entry, _known(function)) for entry in function.entries):
        facts.append("the rest after a break uncompiled")
    resumes = {key for entry in function.entries for key in entry.resume_functions}
    if resumes:
        facts.append(count(len(resumes), "resume function"))
    facts += more
    if function.status.state != "compiled":
        facts.append(state(function))
    return facts


def _known(function: Function) -> tuple[Compile, ...]:
    return known_or(function.compiles, ())


def _graphs(function: Function) -> str:
    """How many graphs its entries call; code that is gone does not tell which it called."""
    told = [entry for entry in function.entries if not isinstance(entry.code, Unknown)]
    graphs = count(sum(len(entry.graphs) for entry in told), "graph")
    gone = len(function.entries) - len(told)
    if not gone:
        return graphs
    return f"{graphs} and those of {count(gone, 'entry', 'entries')} unknown" if told else "graphs unknown"


def wrapper(function: Function) -> Iterator[str]:
    """`torch's wrapper around A.forward`, if it is a decorator's or torch's."""
    whose = "torch's wrapper " if function.is_torchs_wrapper else ""
    yield from (whose + what for what in around(_known(function)))


def _whose(function: Function) -> Iterator[str]:
    """The classes that a function runs for, where its name does not tell: torch's own modules, or subclasses."""
    source, words = ("L['fn']", "torch's wrapper around") if function.is_torchs_wrapper else ("L['self']", "self is")
    guards = (guard for entry in function.entries if not isinstance(entry.guards, Unknown) for guard in entry.guards)
    asked = (guard for guard in guards if guard.kind == "TYPE_MATCH" and guard.source == source)
    types = (guard.condition for guard in asked if not isinstance(guard.expected, Unknown))
    # Classes of Python's own, as `method`, have no module before their names.
    names = dict.fromkeys(condition.rpartition(" is ")[2].rpartition(".")[2] for condition in types)
    inside = wrapped(_known(function))
    told = {part for name in (function.qualname, *inside) for part in name.split(".")}
    if inside:
        told.add("method")  # that what is named is a method says no more
    unsaid = [name for name in names if name not in told]
    if unsaid:
        yield f"{words} {listed(unsaid)}"


def state(function: Function) -> str:
    """What Dynamo does with it, with the reason."""
    status = function.status
    detail = "" if status.detail is None else f": {textwrap.shorten(status.detail, _MOST, placeholder=' …')}"
    return f"{fact(status.state)}{detail}"
