"""Guards with some left out, built by torch itself: where they can be shown to be the entry's own but for these.

torch builds guards from values as they are by now. So it is made to build them twice: all of them, which have to be the
same as the entry's, condition by condition and place by place, and then without some, which have to be the same but for
those. Only conditions that are understood are compared: two that print alike could still ask for different things.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

from unjit.guards.runtime import named
from unjit.model import Guard, GuardNode, Maybe, Message, Unknown
from unjit.observe.guards.origins import Origins
from unjit.observe.guards.reading import read_guards
from unjit.rewrite.unsafe_access import may_drop
from unjit.torch_private.guard_trees.guard_origins import origins_of
from unjit.torch_private.guard_trees.guards import RawNode, guards_of
from unjit.torch_private.guard_trees.rebuilt_guards import rebuilt

Way = tuple[str, ...]  # how a value is reached from the frame's locals
_NAMED = re.compile(r"named\('([^']*)'\)")  # a value that is told by its name alone


def rebuilt_without(manager: Any, dropped: Callable[[Guard], bool], owner: CodeType) -> Maybe[Any]:
    """A guard manager that asks all that `manager` asks but the dropped guards, in C++; Unknown, with the reason.

    `owner` is the code of the entry's function. None of the guards to drop may be about several values.
    """
    origins = origins_of(manager)
    makings = origins if isinstance(origins, Unknown) else origins.makings
    wanted = _read(manager, owner)
    if isinstance(makings, Unknown) or isinstance(wanted, Unknown):
        return makings if isinstance(makings, Unknown) else wanted
    if not wanted.may_drop(dropped):
        return Unknown(Message("C++ cannot be asked what is kept without what is dropped"))
    whole = rebuilt(makings, manager, owner)
    same = whole if isinstance(whole, Unknown) else _read(whole, owner)
    if isinstance(same, Unknown):
        return same
    if not same.is_but_for(_is_none, wanted):
        return Unknown(Message("values that the guards look at have changed since the compile"))
    gone = [guard for _, guard in wanted.guards if dropped(guard)]
    joined = Origins(origins)
    numbers = {
        number for guard in gone for number in joined.may_end_as(guard.kind, str(guard.source), str(guard.parts[:1]))
    }
    less = rebuilt(makings, manager, owner, numbers)
    found = less if isinstance(less, Unknown) else _read(less, owner)
    if isinstance(found, Unknown):
        return found
    return less if found.is_but_for(dropped, wanted) else Unknown(Message("torch cannot leave out these guards alone"))


def _is_none(_guard: Guard) -> bool:
    return False


@dataclass(frozen=True, eq=False)
class _Conditions:
    """All that a tree of guards asks."""

    raw: RawNode
    tree: GuardNode
    guards: tuple[tuple[Way, Guard], ...]
    nodes: frozenset[tuple[Way, str, type | None]]  # that a value is there is a condition, too

    def may_drop(self, dropped: Callable[[Guard], bool]) -> bool:
        """Whether C++ can be asked the others whatever the values are."""
        return may_drop(self.raw, self.tree, dropped)

    def is_but_for(self, dropped: Callable[[Guard], bool], whole: _Conditions) -> bool:
        """Whether this asks what `whole` does but for the dropped guards, and for values reached for them alone."""
        kept = Counter(_said(way, guard) for way, guard in whole.guards if not dropped(guard))
        ways = [way for way, guard in whole.guards if dropped(guard)]
        for_them = all(any(way[: len(lost)] == lost for way in ways) for lost, _, _ in whole.nodes - self.nodes)
        return kept == Counter(_said(*one) for one in self.guards) and self.nodes <= whole.nodes and for_them


def _said(way: Way, guard: Guard) -> tuple[Way, str, str, tuple[str, ...], Maybe[str]]:
    return way, guard.kind, guard.condition, guard.parts, guard.check


def _read(manager: Any, owner: CodeType) -> Maybe[_Conditions]:
    """What a guard manager asks; Unknown if there is a condition that is not understood."""
    raw = guards_of(manager)
    if isinstance(raw, Unknown):
        return raw
    typed = read_guards(raw, owner, str)
    if not all(map(_is_clear, typed)) or any(isinstance(node.access, Unknown) for node in typed.tree.walk()):
        return Unknown(Message("there are guards of which torch alone knows all that they ask"))
    nodes = list(_nodes(raw.root, typed.tree, ()))
    guards = ((way, guard) for way, _, node in nodes for guard in node.guards)
    last = ((("at the end",), guard) for guard in typed.epilogue)
    return _Conditions(
        raw.root, typed.tree, (*guards, *last), frozenset((way, one.manager, one.guarded_type) for way, one, _ in nodes)
    )


def _is_clear(guard: Guard) -> bool:
    """Whether two guards that are written alike ask the same: of classes several may have one name, of dtypes not."""
    if isinstance(guard.check, Unknown):
        return False
    return all(type(named(name)).__name__ == "dtype" for name in _NAMED.findall(guard.check))


def _nodes(raw: RawNode, typed: GuardNode, above: Way) -> Iterator[tuple[Way, RawNode, GuardNode]]:
    way = (*above, f"{raw.accessor} {raw.source}")
    yield way, raw, typed
    for child, node in zip(raw.children, typed.children, strict=True):
        yield from _nodes(child, node, way)
