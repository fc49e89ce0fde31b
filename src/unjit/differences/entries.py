"""Two cache entries side by side: guards by what they look at, graphs, and code."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator

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
    known_or,
)
from unjit.model.words.unique_names import short_names

_GRAPH = re.compile(r"__compiled_fn_\d+")
# Names that Dynamo makes, with a number of its own, a line, or the address of what they hold.
_ADDED = re.compile(
    r"(__resume_at_\d+|__comprehension_\w+_at_\d+|torch_dynamo_resume_in_\w+_at|__builtins_dict__|__warnings_warn_wrapper|__gen_rand_values)_\d+\b"
    r"|_\d{7,16}_c\d+(?:[/_]\d+)?"
)

_LINE_OF_CODE = re.compile(r"(<code object [^,]+, file \"[^\"]*\"), line \d+(?=>)")
_TEMPORARY = re.compile(r"\btmp_\d+\b")

_Key = tuple[str, str]
_Asked = tuple[str, ...]


def of_entries(one: Entry, other: Entry) -> EntryDifference:
    """What differs between two entries, of one function or of two."""
    same, guards = of_guards(one.guards, other.guards)
    graphs = itertools.zip_longest(_graphs(one), _graphs(other))
    return EntryDifference(
        first=Name(one.name),
        second=Name(other.name),
        same_guards=same,
        guards=tuple(guards),
        graphs=tuple(TextDifference(Name(f"graph {i}"), a, b) for i, (a, b) in enumerate(graphs)),
        code=TextDifference(Name("code"), code_text(one), code_text(other)),
    )


def of_guards(first: Maybe[Guards], second: Maybe[Guards]) -> tuple[int, list[GuardDifference]]:
    """How many guards are equal, and those that are not, by what they look at and how.

    There may be several of a kind on one value, as for keys of a dict: those that are equal are told apart first.
    """
    one, other = _by_key(first), _by_key(second)
    same = 0
    found: list[GuardDifference] = []
    for key in dict.fromkeys([*one, *other]):
        mine, yours = one.get(key, []), other.get(key, [])
        equal = Counter(asked for asked, _ in mine) & Counter(asked for asked, _ in yours)
        same += equal.total()
        found += itertools.starmap(_difference, itertools.zip_longest(_without(equal, mine), _without(equal, yours)))
    return same, found


def all_asked(guards: Maybe[Guards]) -> tuple[object, ...] | None:
    """What all guards of an entry ask: equal for entries of which every guard is equal. None where that is unknown."""
    if isinstance(guards, Unknown):
        return None
    return tuple(sorted((key, asked) for key, those in _by_key(guards).items() for asked, _ in those))


def _without(equal: Counter[_Asked], guards: Iterable[tuple[_Asked, Guard]]) -> Iterator[Guard]:
    """The guards that the other entry does not have as well."""
    left = Counter(equal)
    for asked, guard in guards:
        left[asked] -= 1
        if left[asked] < 0:
            yield guard


def _difference(mine: Guard | None, yours: Guard | None) -> GuardDifference:
    known = mine or yours
    assert known is not None, "a pair has at least one"
    return GuardDifference(
        known.kind,
        known.subject if not isinstance(known.subject, Unknown) else Expression(known.condition),
        None if mine is None else mine.expected,
        None if yours is None else yours.expected,
    )


def _by_key(guards: Maybe[Guards]) -> dict[_Key, list[tuple[_Asked, Guard]]]:
    """Guards with what they ask, by their kind and what they look at."""
    found: dict[_Key, list[tuple[_Asked, Guard]]] = {}
    for guard in known_or(guards, ()):
        found.setdefault((str(guard.kind), _looks_at(guard)), []).append((_asked(guard), guard))
    return found


def _asked(guard: Guard) -> _Asked:
    """What a guard asks, in words that mean the same for another entry."""
    return tuple(_LINE_OF_CODE.sub(r"\1", numbered(str(part))) for part in (guard.check, *guard.parts))


def _looks_at(guard: Guard) -> str:
    return numbered(known_or(guard.source, guard.condition))


def _graphs(entry: Entry) -> list[Maybe[Generated]]:
    return [graph.source if isinstance(graph.source, Unknown) else numbered(graph.source) for graph in entry.graphs]


def code_text(entry: Entry) -> Maybe[Generated]:
    """The code that runs, as it can be compared with that of another entry."""
    if isinstance(entry.code, Unknown):
        return entry.code
    return numbered(entry.code.source)


def numbered(text: str) -> Generated:
    """Names that Dynamo counts over the whole process, counted from 0 in this text: these differ in any case."""
    text = _counted(_GRAPH, "__compiled_fn_", short_names(text))
    return Generated(_ADDED.sub(r"\1", _counted(_TEMPORARY, "tmp_", text)))


def _counted(pattern: re.Pattern[str], stem: str, text: str) -> str:
    names = {name: f"{stem}{number}" for number, name in enumerate(dict.fromkeys(pattern.findall(text)))}
    return pattern.sub(lambda match: names[match[0]], text)
