"""The guards of a live entry: the model's data, the same as a Python function, and Dynamo's own answer."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from unjit.api.cost import Cost, cost_of
from unjit.errors import BadCall, Gone
from unjit.guards.predicate import Predicate, compile_guards
from unjit.guards.runtime.answers import NOT_LOCALS
from unjit.guards.source import source_of
from unjit.model import Guard, GuardGroup, GuardNode, Guards, Maybe, Place, Unknown, known_or
from unjit.model.words.wording import with_article
from unjit.observe.guards.reading import live_guards
from unjit.observe.targets.owners import Owner
from unjit.torch_private.cache.ahead_of_time import entries_ahead
from unjit.torch_private.cache.entries import entries_of, globals_of
from unjit.torch_private.guard_trees.answers import verbose_answer

_ANEW: Final = ": call what was compiled, and take its entries anew from unjit.explain"


class LiveGuards:
    """All guards of one cache entry: iterable, grouped, and runnable. `.data` has them all as data."""

    def __init__(self, data: Guards, entry: str, manager: Callable[[], Any], owner: Owner) -> None:
        self.data = data
        self._entry = entry
        self._title = f"Whether {entry} may run"
        self._manager = manager
        self._owner = owner

    def __iter__(self) -> Iterator[Guard]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, number: int) -> Guard:
        return self.data[number]

    @property
    def tree(self) -> GuardNode:
        """The values that guards look at, each with its guards and the values reached through it."""
        return self.data.tree

    @property
    def epilogue(self) -> tuple[Guard, ...]:
        """Conditions on several values, which are checked last."""
        return self.data.epilogue

    def groups(self) -> tuple[GuardGroup, ...]:
        """The guards by what they protect."""
        return self.data.groups()

    def stack(self, guard: Guard) -> Maybe[tuple[Place, ...]]:
        """The calls of the program that led to one of these guards, outermost first; empty if torch always adds it.

        Unknown, with the reason, where no capture and no `unjit run` was on at the compile, or it cannot be told.
        """
        return self.data.stack(guard)

    @property
    def source(self) -> str:
        """A Python module with the function `guards(L)`, one condition a line.

        `L` are the frame's locals by name, with cells opened; `G`, the globals of the function, is for whoever runs the
        text to give. `unjit.guards.runtime` has what it calls.
        """
        return source_of(self.data, self._title).text

    @property
    def predicate(self) -> Predicate:
        """The function of `source`: takes the frame's locals by name, and returns whether all guards hold.

        It asks no guard manager. Where torch keeps a condition to itself it asks that one guard (marked `ask_torch` in
        the source), and raises Unsupported where not even that is possible and all other conditions hold. Raises Gone
        if the entry no longer exists, also when it is asked then: addresses in its guards mean nothing any more.
        """
        manager = self.manager()
        guards, leaves = live_guards(manager)
        source = source_of(guards, self._title)
        by_guard = {id(guard): leaf for guard, leaf in zip(guards, leaves, strict=True)}
        asked = [_asker(self._manager, by_guard[id(guard)]) for guard in source.asked]
        ask = compile_guards(source, known_or(globals_of(manager), {}), asked, self._title)

        @functools.wraps(ask)
        def predicate(frame: dict[str, Any]) -> bool:
            self.manager()
            return ask(frame)

        return predicate

    def frame(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The frame's locals of a call with these arguments, as `predicate` and `check_frame` take them.

        Raises BadCall if the arguments do not fit, BadTarget where arguments alone do not determine the frame.
        """
        return self._owner.locals(args, kwargs)

    def check(self, *args: Any, **kwargs: Any) -> bool:
        """Whether Dynamo's own guards hold for a call with these arguments, now. Nothing is compiled or counted.

        All of them are asked, also those on modules that a call skips before torch 2.10 (see `check` of the entry).
        """
        return self.check_frame(self.frame(*args, **kwargs))

    def check_frame(self, frame: dict[str, Any]) -> bool:
        """Whether Dynamo's own guards hold for a frame with these locals, now.

        Raises Gone if the entry is gone, and BadCall for anything but a dict of locals.
        """
        if not isinstance(frame, Mapping):
            raise BadCall(NOT_LOCALS.format(with_article(type(frame).__name__)))
        return verbose_answer(self.manager(), dict(frame)).holds  # C++ reads a dict alone

    def cost(self, *args: Any, **kwargs: Any) -> Cost:
        """The time of a check for a call with these arguments, what takes it, and what options of torch would save.

        Takes some tenths of a second. The guards must hold for the call: BadCall. Not while other threads call the
        function: parts are measured on copies that share guards on aliasing with the original.
        """
        return cost_of(self.data, self.manager(), self.frame(*args, **kwargs), self._title)

    def manager(self) -> Any:
        """Dynamo's guard manager. Raises Gone if the entry was dropped or invalidated: no dead one is ever touched."""
        manager = self._manager()
        code = self._owner.code()
        if manager is None or code is None:
            raise Gone(f"{self._entry} no longer exists{_ANEW}")
        entries = entries_of(code)
        alive = [] if isinstance(entries, Unknown) else [*entries, *entries_ahead(code)]
        if not isinstance(entries, Unknown) and not any(entry.guard_manager is manager for entry in alive):
            raise Gone(f"{self._entry} was invalidated or removed{_ANEW}")
        return manager

    def __repr__(self) -> str:
        groups = ", ".join(f"{len(group.guards)} {group.topic}" for group in self.groups())
        return f"<{len(self)} guards: {groups}>"


def _asker(manager: Callable[[], Any], leaf: Any) -> Callable[[Any], bool]:
    """Torch's answer to one guard, which lives as long as its manager."""

    def ask(value: Any) -> bool:
        if manager() is None:
            raise Gone("the entry of this guard no longer exists")
        return bool(leaf(value))

    return ask
