"""What to change in the guards of a copied entry."""

from __future__ import annotations

import functools
import itertools
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from unjit.errors import UnjitError, Unsupported
from unjit.model import Guard, Guards, Maybe, Unknown, known_or
from unjit.rewrite.conditions import decided_by
from unjit.rewrite.kept_guards import kept_beside, kept_in_python
from unjit.rewrite.rebuilding import rebuilt_without
from unjit.torch_private.calling.frames import outward
from unjit.torch_private.guard_trees.guard_copies import GuardCopy, around, copy_guards, new_guards
from unjit.torch_private.installing.asking import Decide
from unjit.torch_private.probes.probe import needed

Drop = Callable[[Guard], object]
Which = str | Guard | Drop


@dataclass(frozen=True, slots=True)
class GuardChange:
    """One change: guards to drop, conditions to add, or both."""

    drops: Drop | None = None
    conditions: tuple[object, ...] = ()
    everything: bool = False  # drop what cannot be told apart too: a whole new set
    named: tuple[str, Which] | None = None  # what is done to which guards: there must be at least one


def keep(which: Which) -> GuardChange:
    """Keep the guards of which `which` is true, and drop all others on the user's values.

    `which` is a value as the user writes it, and "x" also means what is reached through it; one of `entry.guards`; or a
    predicate over these (`unjit.model.Guard`). Guards on torch's own state are always kept. Raises UnjitError for what
    is none of these.
    """
    chosen = _chosen(which)
    named = ("keep", which) if isinstance(which, str | Guard) else None
    return GuardChange(lambda guard: guard.topic != "torch state" and not chosen(guard), named=named)


def drop(which: Which) -> GuardChange:
    """Drop the guards of which `which` is true; see `keep`."""
    return GuardChange(_chosen(which), named=("drop", which))


def require(condition: object) -> GuardChange:
    """Add a condition: an expression over the frame's names, or a function whose parameters are among them."""
    return GuardChange(conditions=(condition,))


def replace(which: Which, condition: object) -> GuardChange:
    """Put a condition in the place of guards."""
    return GuardChange(_chosen(which), (condition,), named=("replace", which))


def only(*conditions: object) -> GuardChange:
    """Check only these conditions, and none of Dynamo's guards."""
    return GuardChange(conditions=conditions, everything=True)


def _chosen(which: Which) -> Callable[[Guard], object]:
    if isinstance(which, Guard):
        return lambda guard: _identity(guard) == _identity(which)
    if not isinstance(which, str):
        if not callable(which):
            raise UnjitError(
                f"which guards are meant is told by a value as you write it, such as 'x', by one of entry.guards, or "
                f"by a function of a guard, such as lambda guard: guard.condition == 'k == 1'; "
                f"{type(which).__name__} is none of these"
            )
        return which
    begins = (f"{which}.", f"{which}[")
    return lambda guard: any(
        text == which or text.startswith(begins) for text in (guard.subject, guard.source) if isinstance(text, str)
    )


def _identity(guard: Guard) -> tuple[object, ...]:
    """What it asks of what. Where it came from is not known at each reading."""
    return guard.kind, guard.source, guard.condition, guard.parts


def changes_from(given: object) -> tuple[GuardChange, ...]:
    """The changes that `guards=` stands for: it may be None, one change or condition, or a list of them."""
    if given is None:
        return ()
    several = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    return tuple(one if isinstance(one, GuardChange) else require(one) for one in several)


def changed_guards(
    manager: Any, guards: Maybe[Guards], changes: Iterable[GuardChange], owner: CodeType, scope: dict[str, Any]
) -> GuardCopy:
    """A copy of torch's guards with the changes made.

    Raises UnjitError for a change that cannot be made, Unsupported if this torch cannot copy guards. Warns of what a
    dropped guard protected.
    """
    changes = tuple(changes)
    conditions = [decided_by(one, owner, scope) for change in changes for one in change.conditions]
    if any(change.everything for change in changes):
        _warn(
            "nothing that Dynamo asks is kept: where the new conditions hold, the code runs whatever the arguments, "
            "globals and torch's state are, and its results may be stale or wrong"
        )
        return needed(new_guards(manager, conditions))
    drops = [change.drops for change in changes if change.drops is not None]
    if drops and isinstance(guards, Unknown):
        raise UnjitError(f"which guards to drop cannot be told: {guards.reason}")
    for change in changes:
        _refuse_what_means_none(change, known_or(guards, ()))
    dropped = [guard for guard in known_or(guards, ()) if _is_dropped(drops, guard)]
    made = _copied(manager, guards, drops, conditions, owner)
    for subject, lost in _by_subject(dropped).items():
        _warn(_what_becomes_stale(subject, lost))
    return made


def _refuse_what_means_none(change: GuardChange, guards: Iterable[Guard]) -> None:
    """Raise UnjitError for what no guard fits: a mistake, with which `keep` would drop everything."""
    if change.named is None:
        return
    done, which = change.named
    if any(map(_chosen(which), guards)):
        return
    if isinstance(which, str):
        what = f"no guard of the entry is on {which!r}: give a value as you write it, such as 'x', and no condition"
    elif isinstance(which, Guard):
        what = f"it is no guard of the entry: {which.condition}"
    else:
        what = "the function is true of no guard of the entry"
    raise UnjitError(f"{what}, so there is none to {done}; entry.guards has all of them")


def _by_subject(dropped: list[Guard]) -> dict[str, list[Guard]]:
    found: dict[str, list[Guard]] = {}
    for guard in dropped:
        found.setdefault(guard.subject if isinstance(guard.subject, str) else "several values", []).append(guard)
    return found


def _what_becomes_stale(subject: str, lost: list[Guard]) -> str:
    conditions = " and ".join(f"`{guard.condition}`" for guard in lost[:2]) + (" and more" if len(lost) > 2 else "")
    return (
        f"without {conditions} the entry also runs where that does not hold, with code that was made for where it "
        f"does: what depends on {subject} may be stale or wrong"
    )


def _warn(text: str) -> None:
    """Warn at the line of the caller's that asked for the change."""
    ours = itertools.takewhile(_is_ours, outward(sys._getframe()))
    warnings.warn(text, stacklevel=1 + sum(1 for _ in ours))


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] == "unjit"


def _copied(
    manager: Any, guards: Maybe[Guards], drops: list[Drop], conditions: list[tuple[Decide, str]], owner: CodeType
) -> GuardCopy:
    """Dynamo's own guards without the dropped ones.

    torch copies guards value by value. Where some on a value are kept, torch is made to build its guards again, if it
    can be shown that it builds the same ones; otherwise what is kept is asked in Python.
    """
    if not drops:
        return needed(copy_guards(manager, None, conditions))
    assert not isinstance(guards, Unknown)
    drops_it = functools.partial(_is_dropped, drops)
    gone = {id(guard) for guard in guards if drops_it(guard)}
    several = next((g for g in (*guards.tree.guards, *guards.epilogue) if id(g) in gone), None)
    if several is not None:
        raise UnjitError(f"`{several.condition}` cannot be dropped by itself; use rewrite.only(…) for a whole new set")
    cut = {node.source for node in guards.tree.walk() if any(id(guard) in gone for guard in node.guards)}
    unknown = next((source for source in cut if isinstance(source, Unknown)), None)
    if unknown is not None:
        raise Unsupported(f"a guard cannot be dropped alone: {unknown.reason}")
    if kept_beside(guards, drops_it, cut):
        less = rebuilt_without(manager, drops_it, owner)
        if not isinstance(less, Unknown):
            return needed(around(less, conditions))
    kept = kept_in_python(manager, drops_it, cut, owner)
    added = conditions if kept is None else [kept, *conditions]
    return needed(copy_guards(manager, lambda source: source not in cut, added))


def _is_dropped(drops: list[Drop], guard: Guard) -> bool:
    return any(drop(guard) for drop in drops)
