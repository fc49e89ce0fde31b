"""Dynamo's own Guard objects, read while the compile that made them runs.

Dynamo notes a Guard for each thing that it takes for granted, with the calls of the program that led there, and builds
the tree of guards from them. The tree keeps one line of each as text; the objects are gone when the compile ends. What
is kept of them here holds nothing alive: names and numbers, and classes weakly.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from unjit.model import Maybe, Message, Unknown, first_unknown
from unjit.torch_private.guard_trees.guards_in_making import making
from unjit.torch_private.guard_trees.rebuilt_guards import Makings, makings
from unjit.torch_private.probes import trace_probes as probes

NOT_READ: Final = Unknown(
    Message("Dynamo's own Guard objects were not read: no capture and no unjit run was on when these guards were made")
)
Line = tuple["int | None", str, "int | None", str]  # the number of the line that called it, file, line, function


@dataclass(slots=True)
class RawOrigin:
    """One Guard object."""

    kind: str  # the function that made conditions of it: CLOSURE_MATCH
    source: str
    words: tuple[str, ...]  # keys and names of attributes that were asked about
    guarded_class: weakref.ref[type] | None  # of the value, where Dynamo noted it
    line: int | None  # the innermost line of the program, as a number in `RawOrigins.lines`
    torch_line: int | None  # the line of torch's that made it, where torch keeps it


@dataclass(frozen=True, slots=True)
class RawOrigins:
    """All Guard objects of one entry, and the lines of the calls that led to them."""

    guards: tuple[RawOrigin, ...]
    lines: Maybe[tuple[Line, ...]]
    makings: Maybe[Makings]  # to build the guards again


_KNOWN: Final[weakref.WeakKeyDictionary[Any, Maybe[RawOrigins]]] = weakref.WeakKeyDictionary()


def note_origins() -> Maybe[None]:
    """Read the Guard objects of the compile that is just making its guards, for `origins_of`.

    To be called when torch tells of guards that are ready. Unknown, with the reason, where they cannot be found.
    """
    frame = making()
    if isinstance(frame, Unknown):
        return frame
    manager = probes.GUARDS_MADE.of(frame.f_locals.get("self"))
    if isinstance(manager, Unknown):
        return manager
    made = frame.f_locals.get("sorted_guards")
    made = frame.f_locals.get("guards") if made is None else made
    _KNOWN[manager] = _NO_GUARDS if made is None else _read(made, frame.f_locals.get("output_graph"))
    return None


def origins_of(guard_manager: Any) -> Maybe[RawOrigins]:
    """What was read of the Guard objects of an entry; Unknown if nobody did."""
    try:
        return _KNOWN.get(guard_manager, NOT_READ)
    except TypeError:  # something that cannot be referred to weakly is no guard manager of torch's
        return NOT_READ


def classes_of(origins: Maybe[RawOrigins]) -> dict[str, type]:
    """The classes of guarded values that are alive, by source; a source with two different classes is left out."""
    found: dict[str, type | None] = {}
    for one in () if isinstance(origins, Unknown) else origins.guards:
        kind = None if one.guarded_class is None else one.guarded_class()
        if kind is not None:
            found[one.source] = kind if found.get(one.source, kind) is kind else None
    return {source: kind for source, kind in found.items() if kind is not None}


_NO_CALLS: Final = Unknown(Message("torch noted no calls in its Guard objects"))
_NO_GUARDS: Final = Unknown(Message("torch did not show its Guard objects where it made the guards"))


def _read(made: Iterable[Any], graph: Any) -> Maybe[RawOrigins]:
    """All of them, in the order in which torch goes through them; or none.

    With one left out, another could be taken for the origin of what it caused.
    """
    lines = _Lines()
    guards = []
    objects = made if isinstance(made, list) else sorted(made)  # torch sorts them so before it goes through them
    for guard in objects:
        found = _origin(guard, lines)
        if isinstance(found, Unknown):
            return found
        guards.append(found)
    noted = all(probes.GUARD_CALLS.of(guard) is not None for guard in objects)
    return RawOrigins(tuple(guards), lines.all() if noted else _NO_CALLS, makings(objects, graph))


def _origin(guard: Any, lines: _Lines) -> Maybe[RawOrigin]:
    maker, source, calls = probes.GUARD_MAKER.of(guard), probes.GUARD_NAME.of(guard), probes.GUARD_CALLS.of(guard)
    missing = first_unknown(maker, source, calls)
    if missing is not None:
        return missing
    made_at = _line_of_torch(guard)
    if isinstance(made_at, Unknown):
        return made_at
    guarded = probes.GUARDED_CLASS.of(guard)
    return RawOrigin(
        str(getattr(getattr(maker, "func", maker), "__name__", "unknown")),
        str(source),
        _words(maker),
        guarded if isinstance(guarded, weakref.ref) else None,
        lines.number(calls or ()),
        lines.number(made_at),
    )


def _words(maker: Any) -> tuple[str, ...]:
    """What a guard that is about a part of a value names it by; only texts: asking anything else runs the program's."""
    named = getattr(maker, "keywords", None)
    return tuple(named[name] for name in ("key", "attr") if type(named.get(name)) is str) if named else ()


def _line_of_torch(guard: Any) -> Maybe[Sequence[Any]]:
    """The last of torch's own stack, which it keeps for most guards only while it logs them."""
    stack = probes.GUARD_TORCH_CALLS.of(guard)
    if stack is None or isinstance(stack, Unknown):
        return ()
    summary = probes.STACK_SUMMARY.call_on(stack)
    return summary if isinstance(summary, Unknown) else summary[-1:]


class _Lines:
    """Lines of calls, each with the line that called it: stacks that begin alike share their beginning."""

    def __init__(self) -> None:
        self._numbers: dict[Line, int] = {}
        self._callers: dict[tuple[int, ...], int | None] = {}  # by the ids of torch's frames, which guards share

    def number(self, calls: Sequence[Any]) -> int | None:
        """The number of the last of these frames, which are given callers first; None if there are none.

        They must be alive until all are numbered.
        """
        if not calls:
            return None
        callers = tuple(map(id, calls[:-1]))
        if callers not in self._callers:
            self._callers[callers] = self.number(calls[:-1])
        frame = calls[-1]
        line = (self._callers[callers], frame.filename, frame.lineno, frame.name)
        return self._numbers.setdefault(line, len(self._numbers))

    def all(self) -> tuple[Line, ...]:
        """Every line, by its number."""
        return tuple(self._numbers)
