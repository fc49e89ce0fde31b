"""What a compiled function is, in one line."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType

from unjit.model import Unknown, known_or
from unjit.observe.entries.entry import OpenEntry, open_entry
from unjit.observe.status.giving_up import why_given_up
from unjit.observe.status.history import History
from unjit.observe.status.still_looked_at import Attention, attention_to
from unjit.observe.targets.resolving import Target, code_with_entries, codes_of, users_name
from unjit.torch_private.cache.entries import entries_of


def brief(target: Target) -> str:
    """`toy, optimised by Dynamo: backend eager, 2 cache entries, 3 graphs, last break: … at toy.py:5`.

    The entries are its own; the graphs are also those of its resume functions and of the parts of a module.
    """
    name = users_name(target)
    code = code_with_entries(target)
    raw = entries_of(code)
    if isinstance(raw, Unknown):
        return f"{name}, compiled: cache entries {raw}"
    left = _left(attention_to(code, raw, History.now([])))
    if not raw:
        return f"{name}, {left or 'compiled: no cache entries yet'}"
    opened = [open_entry(entry) for entry in raw]
    backends = ", ".join(dict.fromkeys(str(entry.backend) for entry in raw))
    graphs = sum(len(entry.graphs) for entry in _with_what_follows(codes_of(target)))
    counts = f"{_count(len(raw), 'cache entry', 'cache entries')}, {_count(graphs, 'graph', 'graphs')}"
    return f"{name}, {left or 'optimised by Dynamo'}: backend {backends}, {counts}, {_last_break(code, opened)}"


def _with_what_follows(codes: list[CodeType]) -> Iterator[OpenEntry]:
    """The entries of these functions, and of the resume functions in which they go on."""
    work, seen = [*codes], set[int]()
    while work:
        code = work.pop()
        raw = entries_of(code) if id(code) not in seen else []
        seen.add(id(code))
        for entry in () if isinstance(raw, Unknown) else map(open_entry, raw):
            yield entry
            work += (resume for _, resume in entry.resumes)


def _left(attention: Attention) -> str | None:
    if attention.is_given_up is not True:
        return None
    why = "torch does not remember why" if attention.compile is None else why_given_up(attention.compile)
    return f"given up by Dynamo ({why})"


def _last_break(code: CodeType, opened: list[OpenEntry]) -> str:
    compiles = History.now([]).of(code, [entry.facts() for entry in opened])
    for compile_ in reversed(known_or(compiles, ())):
        if isinstance(compile_.breaks, Unknown):
            return f"last break {compile_.breaks}"
        if compile_.breaks:
            last = compile_.breaks[-1]
            place = last.place
            where = "" if isinstance(place, Unknown) else f" at {place.file}:{place.line}"
            return f"last break: {last.reason}{where}"
    return "no breaks"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
