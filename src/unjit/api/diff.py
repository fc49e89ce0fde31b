"""`unjit.diff`: two cache entries side by side."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

from unjit.api.entry import EntryHandle
from unjit.errors import BadTarget
from unjit.model import (
    Entry,
    EntryDifference,
    Expression,
    Generated,
    Guard,
    GuardDifference,
    Guards,
    Maybe,
    Name,
    TextDifference,
    Unknown,
)
from unjit.render.differences import difference_text

_GRAPH = re.compile(r"__compiled_fn_\d+(?:_[0-9a-f]{8}(?:_[0-9a-f]+)+)?")
_RESUME = re.compile(r"(__resume_at_\d+)_\d+")

_Key = tuple[str, str]


def diff(first: EntryHandle | Entry, second: EntryHandle | Entry, /) -> Difference:
    """What differs between two entries, of one function or of two: guards by what they look at, graphs, and code.

    Entries are those of `unjit.explain(…).entries`, or their data. Raises BadTarget for everything else.
    """
    one, other = _entry(first), _entry(second)
    same, guards = _guards(one.guards, other.guards)
    graphs = itertools.zip_longest(_graphs(one), _graphs(other))
    return Difference(
        EntryDifference(
            first=Name(f"entry {one.index} (compile {one.compile_id})"),
            second=Name(f"entry {other.index} (compile {other.compile_id})"),
            same_guards=same,
            guards=tuple(guards),
            graphs=tuple(TextDifference(Name(f"graph {i}"), a, b) for i, (a, b) in enumerate(graphs)),
            code=TextDifference(Name("code"), _code(one), _code(other)),
        )
    )


class Difference:
    """The answer: `str()` is the text for people, `.data` all of it as frozen data."""

    def __init__(self, data: EntryDifference) -> None:
        self.data = data

    def __str__(self) -> str:
        return difference_text(self.data)

    def __repr__(self) -> str:
        return f"<unjit.diff of {self.data.first} and {self.data.second}: {len(self.data.guards)} guards differ>"


def _entry(given: object) -> Entry:
    entry = given.data if isinstance(given, EntryHandle) else given
    if not isinstance(entry, Entry):
        raise BadTarget(f"a {type(given).__name__} is no cache entry; pass two of unjit.explain(function).entries")
    return entry


def _guards(first: Maybe[Guards], second: Maybe[Guards]) -> tuple[int, list[GuardDifference]]:
    """How many guards are equal, and those that are not, by what they look at and how."""
    one, other = _by_key(first), _by_key(second)
    found = []
    same = 0
    for key in dict.fromkeys([*one, *other]):
        mine, yours = one.get(key), other.get(key)
        if mine is not None and yours is not None and mine.check == yours.check and mine.parts == yours.parts:
            same += 1
            continue
        known = mine or yours
        assert known is not None, "a key comes from one of the two"
        found.append(
            GuardDifference(
                known.kind,
                known.subject if not isinstance(known.subject, Unknown) else Expression(known.condition),
                None if mine is None else mine.expected,
                None if yours is None else yours.expected,
            )
        )
    return same, found


def _by_key(guards: Maybe[Guards]) -> dict[_Key, Guard]:
    found: Iterable[Guard] = () if isinstance(guards, Unknown) else guards
    return {(str(guard.kind), _looks_at(guard)): guard for guard in found}


def _looks_at(guard: Guard) -> str:
    return str(guard.condition) if isinstance(guard.source, Unknown) else str(guard.source)


def _graphs(entry: Entry) -> list[Maybe[Generated]]:
    return [graph.source if isinstance(graph.source, Unknown) else _numbered(graph.source) for graph in entry.graphs]


def _code(entry: Entry) -> Maybe[Generated]:
    if isinstance(entry.code, Unknown):
        return entry.code
    plain = entry.code.plain
    return _numbered(entry.code.source if plain is None else plain.source)


def _numbered(text: str) -> Generated:
    """Names of graphs numbered from 0, those of resume functions without their number: these differ in any case."""
    names = {name: f"__compiled_fn_{number}" for number, name in enumerate(dict.fromkeys(_GRAPH.findall(text)))}
    return Generated(_RESUME.sub(r"\1", _GRAPH.sub(lambda match: names[match[0]], text)))
