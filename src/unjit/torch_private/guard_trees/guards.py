"""The tree of guards as Dynamo's C++ keeps it, read out into plain records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from unjit.model import Maybe, Message, Unknown
from unjit.torch_private.cache.entries import globals_of
from unjit.torch_private.guard_trees.dict_sizes import Alive, Stop, expected_size
from unjit.torch_private.guard_trees.guard_copies import SWITCH_SOURCE, guarded_identities
from unjit.torch_private.guard_trees.guard_origins import RawOrigins, classes_of, origins_of
from unjit.torch_private.probes import guard_probes as probes


@dataclass(slots=True, unsafe_hash=True)  # never changed; `frozen` would make each cost three times as much
class RawLeaf:
    """One condition: the name of its class, and the texts that torch prints for it."""

    kind: str
    parts: Maybe[tuple[str, ...]]
    live: Any  # torch's guard, which lives as long as the guard manager; calling it asks this one guard


@dataclass(slots=True, unsafe_hash=True)  # never changed; `frozen` would make each cost three times as much
class RawNode:
    """One value that is guarded."""

    manager: str
    accessor: str  # how it is reached from the value above: GetAttrGuardAccessor(shape), key 0, value 0; "" at the root
    source: Maybe[str]
    size: Maybe[int] | None  # of the dict that it must be; None for managers that do not ask for one
    failures: Maybe[int]
    guarded_type: type | None
    leaves: tuple[RawLeaf, ...]
    children: tuple[RawNode, ...]

    def walk(self) -> Iterator[RawNode]:
        """This node and all below it, parents first, in the order in which Dynamo keeps them."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class RawGuards:
    """All guards of an entry, and what could not be read of them."""

    root: RawNode
    epilogue: tuple[RawLeaf, ...]
    modes: Maybe[tuple[type, ...]]  # the types of the torch function modes that were active at the compile
    losses: tuple[Message, ...]
    origins: Maybe[RawOrigins]  # Dynamo's own Guard objects, where somebody read them at the compile


def guards_of(guard_manager: Any) -> Maybe[RawGuards]:
    """All guards of an entry, read out; Unknown if this torch does not show them."""
    root = guard_manager if isinstance(guard_manager, Unknown) else probes.GUARD_ROOT.of(guard_manager)
    if isinstance(root, Unknown):
        return root
    losses: list[Message] = []
    origins = origins_of(guard_manager)
    alive = partial(_alive, guard_manager)
    node = _Reader(root, globals_of(guard_manager), alive, classes_of(origins), losses).node("", root, ())
    epilogue = _listed(probes.EPILOGUE.call_on(root), losses)
    leaves = tuple(_leaf(leaf) for leaf in epilogue)
    return RawGuards(node, leaves, _modes(guard_manager), tuple(dict.fromkeys(losses)), origins)


def _alive(guard_manager: Any) -> dict[int, Any]:
    references = guarded_identities(guard_manager)
    objects = [] if isinstance(references, Unknown) else [reference() for reference in references]
    return {id(one): one for one in objects if one is not None}


def _modes(guard_manager: Any) -> Maybe[tuple[type, ...]]:
    """What the guard on the mode stack compares with: only torch's Python twin of it can be looked into."""
    variables = probes.GUARD_VARIABLES.of(guard_manager)
    if isinstance(variables, Unknown):
        return variables
    twin = (variables or {}).get("___check_torch_function_mode_stack")
    names = getattr(getattr(twin, "__code__", None), "co_freevars", ())
    cells = dict(zip(names, getattr(twin, "__closure__", None) or (), strict=False))
    if "types" not in cells:
        return Unknown(Message("torch keeps the expected torch function modes to itself"))
    return tuple(cells["types"].cell_contents)


@dataclass(frozen=True, slots=True)
class _Reader:
    """One reading of a tree, which must stay alive while it is read: its nodes belong to the root."""

    root: Any
    scope: Maybe[dict[str, Any]]  # the globals that guards read
    alive: Alive
    classes: dict[str, type]  # of values, by their source, where Dynamo's Guard objects told them
    losses: list[Message]

    def node(self, accessor: str, node: Any, way: tuple[Stop, ...]) -> RawNode:
        guarded, source = probes.NODE_TYPE.call_on(node), probes.NODE_SOURCE.call_on(node)
        kind = guarded if isinstance(guarded, type) else self.classes.get(str(source))
        here = (*way, Stop(accessor, node, kind)) if accessor else ()
        size = self.size(node, here)
        here = (*here[:-1], replace(here[-1], size=size)) if here else ()
        leaves = _listed(probes.NODE_LEAVES.call_on(node), self.losses)
        return RawNode(
            manager=type(node).__name__,
            accessor=accessor,
            source=source,
            size=size,
            failures=probes.NODE_FAILURES.call_on(node),
            guarded_type=kind,
            leaves=tuple(_leaf(leaf) for leaf in leaves),
            children=tuple(self.node(name, child, here) for name, child in self.children(node)),
        )

    def size(self, node: Any, way: tuple[Stop, ...]) -> Maybe[int] | None:
        """The size that a manager of an ordered dict asks for; one that asks for an unchanged dict needs none."""
        if type(node).__name__ != "DictGuardManager":
            return None
        leaves = _listed(probes.NODE_LEAVES.call_on(node), [])
        unchanged = any(type(leaf).__name__ == "DICT_VERSION" for leaf in leaves)
        return None if unchanged else expected_size(self.root, way, self.scope, self.alive)

    def children(self, node: Any) -> list[tuple[str, Any]]:
        """Keys and values of a dict first, in the order of the dict, as Dynamo checks them; each with its accessor."""
        managers = _listed(probes.NODE_CHILDREN.call_on(node), self.losses)
        accessors = [_accessor(accessor) for accessor in _listed(probes.NODE_ACCESSORS.call_on(node), self.losses)]
        accessors += ["unknown"] * (len(managers) - len(accessors))
        others = zip(accessors, managers, strict=False)
        kept = ((name, one) for name, one in others if probes.NODE_SOURCE.call_on(one) != SWITCH_SOURCE)  # ours
        return [*_items(node, self.losses), *kept]


def _items(node: Any, losses: list[Message]) -> Iterator[tuple[str, Any]]:
    if type(node).__name__ != "DictGuardManager":
        return
    pairs = probes.NODE_KEY_VALUES.call_on(node)
    if isinstance(pairs, Unknown):
        losses.append(pairs.reason)
        return
    for index, pair in sorted(pairs.items()):
        yield from ((f"{role} {index}", one) for role, one in zip(("key", "value"), pair, strict=True) if one)


def _accessor(accessor: Any) -> str:
    text = probes.ACCESSOR_TEXT.call_on(accessor)
    return "unknown" if isinstance(text, Unknown) else str(text)


def _listed(found: Any, losses: list[Message]) -> list[Any]:
    if isinstance(found, Unknown):
        losses.append(found.reason)
        return []
    return list(found)


def _leaf(leaf: Any) -> RawLeaf:
    parts = probes.LEAF_PARTS.call_on(leaf)
    return RawLeaf(type(leaf).__name__, parts if isinstance(parts, Unknown) else tuple(map(str, parts)), leaf)
