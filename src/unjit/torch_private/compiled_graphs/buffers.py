"""Which node of a graph each of Inductor's buffers holds, and from when on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from unjit.model import Maybe, Unknown, first_unknown
from unjit.torch_private.probes import stage_probes


@dataclass(frozen=True)
class Held:
    """What a buffer holds."""

    node: str | None  # of the graph; None where the buffer is the value of none by itself
    fused: tuple[str, ...]  # all nodes that went into it
    finished_later: bool = False  # what fills it first only begins the node's value, which others go on with in place


@dataclass(frozen=True)
class _Buffer:
    name: str
    held: Held
    writes: tuple[str, ...]  # the buffers whose memory it changes
    for_node: str | None  # for which it changes them


def held_nodes(scheduled: Iterable[Any]) -> Maybe[dict[str, Held]]:
    """What the buffers hold that Inductor is about to fuse.

    `scatter_add` and its like are lowered to a copy of what they add to, and to an operation that changes the copy.
    Both are made of one node, whose value the copy has at the end. A buffer that another node goes on with has its own
    node's value at no time that is known: both may be done by one kernel.
    """
    found: list[_Buffer] = []
    for one in scheduled:
        parts = stage_probes.SCHEDULED_PARTS.call_on(one)
        buffers = [parts] if isinstance(parts, Unknown) else list(map(stage_probes.SCHEDULED_BUFFER.of, parts))
        for buffer in buffers:
            if isinstance(buffer, Unknown):
                return buffer
            found.extend(_described(buffer))
    changed_by: dict[str, set[str | None]] = {}
    for buffer in found:
        for name in buffer.writes:
            changed_by.setdefault(name, set()).add(buffer.for_node)
    return {buffer.name: _changed(buffer.held, changed_by.get(buffer.name, set())) for buffer in found}


def _changed(held: Held, by: set[str | None]) -> Held:
    if not by:
        return held
    return replace(held, finished_later=True) if by == {held.node} else replace(held, node=None)


def _described(buffer: Any) -> Iterable[_Buffer]:
    if not getattr(buffer, "name", None):  # as the call of a kernel of the program's own, which makes none
        return
    own = stage_probes.BUFFER_NODE.call_on(buffer)
    fused = stage_probes.BUFFER_NODES.call_on(buffer)
    nodes = () if isinstance(fused, Unknown) else tuple(fused)
    changed = tuple(_changed_by(buffer))
    name = stage_probes.BUFFER_NAME.call_on(buffer)
    if not isinstance(name, Unknown):
        held = Held(getattr(own, "name", None), tuple(str(node.name) for node in nodes))
        yield _Buffer(str(name), held, changed, _last(nodes) if changed else None)


def _changed_by(buffer: Any) -> Iterable[str]:
    """The buffers whose memory an operation changes: as the buffer that it fills, or by another output for each."""
    outputs = stage_probes.OPERATION_OUTPUTS.call_on(buffer)
    others = () if isinstance(outputs, Unknown) else (output for output in outputs if output is not buffer)
    for output in (buffer, *others):
        writes = stage_probes.BUFFER_WRITES.call_on(output)
        if not isinstance(writes, Unknown):
            yield from map(str, writes)


def _last(nodes: Sequence[Any]) -> str | None:
    """The last of some nodes in their graph: what is made of them is made for it."""
    order = {node: at for at, node in enumerate(nodes[0].graph.nodes)} if len(nodes) > 1 else {}
    return str(max(nodes, key=lambda node: order.get(node, -1)).name) if nodes else None


def never_stored(lowering: Any) -> Maybe[frozenset[str]]:
    """The buffers whose values no kernel stores: those that take another's memory stand in its call all the same."""
    removed = stage_probes.REMOVED_BUFFERS.of(lowering)
    in_place = stage_probes.REMOVED_IN_PLACE.of(lowering)
    return first_unknown(lowering, removed, in_place) or frozenset((*removed, *in_place))
