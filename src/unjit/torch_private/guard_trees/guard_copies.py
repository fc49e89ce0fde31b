"""Copies of guards: some dropped, conditions of ours after them, and a switch that turns them off at once."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from unjit.model import Maybe, Message, Unknown
from unjit.model.words.wording import with_article
from unjit.torch_private.installing.asking import Condition, Decide
from unjit.torch_private.probes import guard_probes
from unjit.torch_private.probes import install_probes as probes

SWITCH_SOURCE = "unjit_switch"  # what the guard on the switch looks at
COPY = "unjit_copy"  # the attribute by which guards that are copies tell so


@dataclass(eq=False)
class Switch:
    """Whether an entry may be taken.

    Dynamo's C++ reads the dict itself: switching off works from any thread, at any moment, and runs no Python.
    """

    state: dict[str, bool] = field(default_factory=lambda: {"on": True})
    reason: str | None = None  # why it is off
    watched: list[weakref.ref[Any]] = field(default_factory=list)

    @property
    def is_on(self) -> bool:
        return self.state["on"]

    def off(self, reason: str) -> None:
        """The first reason is kept. Needs no global: objects die, too, when the interpreter has cleared the modules."""
        self.state["on"] = False
        self.reason = self.reason or reason

    def watch(self, reference: weakref.ref[Any]) -> None:
        """Off when the object dies: a guard on its identity would then fit another object at the same address."""
        alive = reference()
        if alive is None:
            self.off("an object whose identity its guards check is gone")
            return
        kind = with_article(type(alive).__name__)  # made here: the function may run when no global is left
        switch = weakref.ref(self)

        def gone(_reference: weakref.ref[Any]) -> None:
            found = switch()
            if found is not None:
                found.off(f"{kind} whose identity its guards check is gone")

        self.watched.append(weakref.ref(alive, gone))


@dataclass(eq=False, frozen=True)
class GuardCopy:
    """Guards that belong to no entry yet."""

    manager: Any  # torch's GuardManagerWrapper
    switch: Switch
    conditions: tuple[Condition, ...]
    origins: tuple[Any, ...] = ()  # the roots that it was copied from: its guards on tensors read the first one's state


def copy_guards(
    manager: Any, keep: Callable[[str], bool] | None = None, conditions: Sequence[tuple[Decide, str]] = ()
) -> Maybe[GuardCopy]:
    """A copy of an entry's guards.

    `keep` gets what a node of the guard tree looks at, such as `L['x'].weight`, and drops it with all below it by
    False; None keeps all. Each condition is asked with the frame's locals when all that is kept holds; its text is
    what torch and unjit show for it. Unknown if this torch cannot copy guards.
    """
    watched = guarded_identities(manager)
    if isinstance(watched, Unknown):
        return watched
    root = guard_probes.GUARD_ROOT.of(manager)
    cloned = root if isinstance(root, Unknown) else probes.CLONE.call_on(root, lambda node: _is_kept(node, keep))
    made = _made(cloned, conditions, getattr(manager, COPY, None), root)
    return made if isinstance(made, Unknown) else _in_place_of(manager, watched, made)


def around(manager: Any, conditions: Sequence[tuple[Decide, str]]) -> Maybe[GuardCopy]:
    """Guards that belong to no entry, not copied, with the conditions after them. Unknown as in `copy_guards`."""
    watched = guarded_identities(manager)
    if isinstance(watched, Unknown):
        return watched
    made = _made(guard_probes.GUARD_ROOT.of(manager), conditions, None, manager)
    return made if isinstance(made, Unknown) else _in_place_of(manager, watched, made)


def _in_place_of(manager: Any, watched: list[weakref.ref[Any]], made: GuardCopy) -> GuardCopy:
    """The copy, set up as the manager's guards are, and switched off when an object dies whose identity they check."""
    _take_over(made.manager, manager)
    for reference in watched:
        made.switch.watch(reference)
    return made


def new_guards(manager: Any, conditions: Sequence[tuple[Decide, str]]) -> Maybe[GuardCopy]:
    """A whole new set: the conditions and nothing else. `manager` is that of the entry whose place it takes."""
    made = _made(probes.NO_GUARDS.call(), conditions)
    if not isinstance(made, Unknown):
        _take_over(made.manager, manager)
    return made


def _is_kept(node: Any, keep: Callable[[str], bool] | None) -> bool:
    """The root, which stands for all locals, has to stay: without it there is no copy."""
    source = guard_probes.NODE_SOURCE.call_on(node)
    if isinstance(source, Unknown) or source in {"", "L"}:
        return True
    return not source.startswith(SWITCH_SOURCE) and (keep is None or bool(keep(source)))


def _made(
    root: Any, conditions: Sequence[tuple[Decide, str]], copied: GuardCopy | None = None, origin: Any = None
) -> Maybe[GuardCopy]:
    """Guards with a switch and the conditions. `copied`, if `root` was cloned from a copy, has those it came with."""
    wrapped = root if isinstance(root, Unknown) else probes.WRAPPER.call(root)
    if isinstance(wrapped, Unknown):
        return wrapped
    added = tuple(Condition(decide, text) for decide, text in conditions)
    before, origins = ((), ()) if copied is None else (copied.conditions, copied.origins)
    made = GuardCopy(wrapped, Switch(), (*before, *added), (*origins, origin))
    setattr(wrapped, COPY, made)
    failed = _add_switch(root, made.switch)
    for condition in added:
        failed = failed or _added(probes.ADD_CONDITION, root, condition, [condition.text])
    return failed or made


def _add_switch(root: Any, switch: Switch) -> Unknown | None:
    kinds = probes.NODE_KINDS.get()
    kind = kinds if isinstance(kinds, Unknown) else probes.NODE_KIND.of(kinds)
    if isinstance(kind, Unknown):
        return kind
    node = probes.GLOBALS_NODE.call_on(root, switch.state, SWITCH_SOURCE, switch.state, kind)
    if isinstance(node, Unknown):
        return node
    node = probes.ITEM_NODE.call_on(node, "on", f"{SWITCH_SOURCE}['on']", True, kind)
    if isinstance(node, Unknown):
        return node
    return _added(probes.TRUE_GUARD, node, ["the entry is installed"])


def _added(method: Any, owner: Any, *args: Any) -> Unknown | None:
    """Add a guard; up to torch 2.9 without the user's stack, which comes last in newer ones."""
    answer = method.call_on(owner, *args, None)
    if isinstance(answer, Unknown):
        answer = method.call_on(owner, *args)
    return answer if isinstance(answer, Unknown) else None


_SHARED = (
    *("args", "global_scope", "closure_vars", "verbose_code_parts", "id_matched_objs"),
    "no_tensor_aliasing_sources",
)


def _take_over(manager: Any, source: Any) -> None:
    """What torch asks of guards besides their answer: where names are found, and how a failure is told."""
    for name in _SHARED:
        if hasattr(source, name):
            setattr(manager, name, getattr(source, name))
    manager.diff_guard_root = guard_probes.GUARD_ROOT.of(manager)  # never empty: torch may check these alone


def guarded_identities(manager: Any) -> Maybe[list[weakref.ref[Any]]]:
    """The objects whose identity an entry's guards check.

    A guard keeps the address alone; Dynamo invalidates the entry when the object dies, through a finalizer for each
    object, and these are the only place that knows them all.
    """
    copied = getattr(manager, COPY, None)
    if isinstance(copied, GuardCopy):
        return list(copied.switch.watched)
    registry = getattr(weakref.finalize, "_registry", None)
    if registry is None:
        return Unknown(Message("this Python does not tell its finalizers: which objects guards depend on is not known"))
    return [info.weakref for info in list(registry.values()) if _belongs(info.func, manager)]


def _belongs(function: Any, manager: Any) -> bool:
    if not isinstance(function, functools.partial):
        return False
    owner = getattr(function.func, "__self__", None)
    return owner is not None and getattr(owner, "guard_manager", None) is manager
