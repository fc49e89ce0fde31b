"""What is kept of the guards on a value when others on it are dropped.

torch copies guards value by value: a value whose guards are copied in part is left out, with all that is reached
through it, and its other guards become one condition in Python, after the guards that Dynamo's C++ asks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from types import CodeType
from typing import Any

from unjit.errors import UnjitError
from unjit.guards.kinds import RELATIONS
from unjit.guards.predicate import compile_guards
from unjit.guards.source import source_of
from unjit.model import Guard, GuardNode, Guards, Maybe, known_or
from unjit.observe.guards.reading import live_guards
from unjit.torch_private.cache.entries import globals_of
from unjit.torch_private.installing.asking import Decide

Choose = Callable[[Guard], bool]


def kept_in_python(
    manager: Any, dropped: Choose, cut: Collection[Maybe[str]], owner: CodeType
) -> tuple[Decide, str] | None:
    """The guards on the values `cut`, and on what is reached through them, that are not dropped; None if all are.

    One condition over the frame's locals, and its text: as strict as Dynamo's own guards, and slower. Conditions on
    relations of sizes stay with Dynamo. Raises UnjitError where one of them can be asked by Dynamo alone.
    """
    guards, leaves = live_guards(manager, owner)
    kept = [guard for guard in _on(guards.tree, cut) if not dropped(guard)]
    if not kept:
        return None
    tree = replace(_only(guards.tree, _wanted(kept)), guards=())
    source = source_of(Guards(tree, ()), f"What is kept of the guards of {owner.co_name}")
    if source.unreadable:
        raise UnjitError(
            f"`{source.unreadable[0].condition}` can be asked by Dynamo alone, together with the guards on the same "
            "value: choose all of these, or use rewrite.only(…) for a whole new set"
        )
    live = {id(guard): leaf for guard, leaf in zip(guards, leaves, strict=True)}
    asked = [live[id(guard)] for guard in source.asked]  # torch's objects, which live as long as `manager`
    ask = compile_guards(source, known_or(globals_of(manager), {}), asked, f"guards kept of {owner.co_name}")

    def decide(frame: Mapping[str, Any], _alive: Any = manager) -> bool:
        return ask(dict(frame))

    subjects = list(dict.fromkeys(str(guard.subject) for guard in kept))
    more = f" and {len(subjects) - 2} more" if len(subjects) > 2 else ""
    return decide, f"the other guards on {', '.join(subjects[:2])}{more}, in Python"


def kept_beside(guards: Guards, dropped: Choose, cut: Collection[Maybe[str]]) -> bool:
    """Whether guards on the values `cut`, or on what is reached through them, are kept."""
    return any(not dropped(guard) for guard in _on(guards.tree, cut))


def _on(tree: GuardNode, cut: Collection[Maybe[str]]) -> Iterator[Guard]:
    below = (under for node in tree.walk() if node.source in cut for under in node.walk())
    return (guard for node in {id(one): one for one in below}.values() for guard in node.guards)


def _wanted(kept: list[Guard]) -> Choose:
    """A condition on several values is asked with all of them, also those whose guards Dynamo keeps."""
    chosen = set(map(id, kept))
    relations = {guard.check for guard in kept if guard.kind in RELATIONS}
    return lambda guard: id(guard) in chosen or (guard.kind in RELATIONS and guard.check in relations)


def _only(node: GuardNode, wanted: Choose) -> GuardNode:
    """The tree with only these guards, and with the values that lead to them."""
    children = (_only(child, wanted) for child in node.children)
    return replace(
        node,
        guards=tuple(filter(wanted, node.guards)),
        children=tuple(child for child in children if child.guards or child.children),
    )
