"""The tree of guards as Dynamo's C++ keeps it, read out into plain records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjit.model import Maybe, Message, Unknown
from unjit.torch_private import probes
from unjit.torch_private.guard_copies import SWITCH_SOURCE


@dataclass(frozen=True, slots=True)
class RawLeaf:
    """One condition: the name of its class, and the texts that torch prints for it."""

    kind: str
    parts: Maybe[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class RawNode:
    """One value that is guarded."""

    manager: str
    source: Maybe[str]
    failures: Maybe[int]
    guarded_type: type | None
    leaves: tuple[RawLeaf, ...]
    children: tuple[RawNode, ...]


@dataclass(frozen=True, slots=True)
class RawGuards:
    """All guards of an entry, and what could not be read of them."""

    root: RawNode
    epilogue: tuple[RawLeaf, ...]
    losses: tuple[Message, ...]


def guards_of(guard_manager: Any) -> Maybe[RawGuards]:
    """Everything that the guards of an entry say."""
    root = guard_manager if isinstance(guard_manager, Unknown) else probes.GUARD_ROOT.of(guard_manager)
    if isinstance(root, Unknown):
        return root
    losses: list[Message] = []
    node = _node(root, losses)
    epilogue = _listed(probes.EPILOGUE.call_on(root), losses)
    return RawGuards(node, tuple(_leaf(leaf) for leaf in epilogue), tuple(dict.fromkeys(losses)))


def _node(node: Any, losses: list[Message]) -> RawNode:
    guarded = probes.NODE_TYPE.call_on(node)
    leaves = _listed(probes.NODE_LEAVES.call_on(node), losses)
    return RawNode(
        manager=type(node).__name__,
        source=probes.NODE_SOURCE.call_on(node),
        failures=probes.NODE_FAILURES.call_on(node),
        guarded_type=guarded if isinstance(guarded, type) else None,
        leaves=tuple(_leaf(leaf) for leaf in leaves),
        children=tuple(_node(child, losses) for child in _children(node, losses)),
    )


def _children(node: Any, losses: list[Message]) -> list[Any]:
    """Keys and values of a dict first, in the order of the dict, as Dynamo checks them."""
    children: list[Any] = []
    if type(node).__name__ == "DictGuardManager":
        pairs = probes.NODE_KEY_VALUES.call_on(node)
        if isinstance(pairs, Unknown):
            losses.append(pairs.reason)
        else:
            children += [child for _, pair in sorted(pairs.items()) for child in pair if child is not None]
    children += _listed(probes.NODE_CHILDREN.call_on(node), losses)
    return [child for child in children if probes.NODE_SOURCE.call_on(child) != SWITCH_SOURCE]  # ours, no condition


def _listed(found: Any, losses: list[Message]) -> list[Any]:
    if isinstance(found, Unknown):
        losses.append(found.reason)
        return []
    return list(found)


def _leaf(leaf: Any) -> RawLeaf:
    parts = probes.LEAF_PARTS.call_on(leaf)
    return RawLeaf(type(leaf).__name__, parts if isinstance(parts, Unknown) else tuple(map(str, parts)))
