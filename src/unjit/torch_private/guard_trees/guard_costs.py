"""The time that Dynamo's C++ takes to check guards, whole and in parts.

Parts are measured on copies of the tree that have only that part. Copies are asked in torch's thorough way, which keeps
no memory of earlier checks, so that no copy takes a shortcut. A copy points into the original, which must be alive.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from unjit.model import Maybe, Unknown, first_unknown
from unjit.torch_private.probes import guard_probes as probes
from unjit.torch_private.probes.install_probes import CLONE
from unjit.torch_private.probes.probe import needed


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a time is measured: the best of several rounds, each at least so many seconds and one check long."""

    rounds: int
    seconds: float
    many_globals: bool = True  # whether each global is measured where there are more of them than parts are told


@dataclass(eq=False, slots=True)
class Part:
    """A node of the tree with all nodes below it, and the nodes above it."""

    node: Any
    way: tuple[Any, ...]
    below: tuple[Part, ...]
    seconds: float = 0.0

    @property
    def inside(self) -> list[Any]:
        """All nodes of the part, its own included."""
        parts = [self]
        for part in parts:
            parts += part.below
        return [part.node for part in parts]


@dataclass(frozen=True, slots=True)
class Stopwatch:
    """Measures checks of the tree below `root` for one frame, for which its guards hold."""

    root: Any
    frame: dict[str, Any]
    patience: Patience

    def check(self) -> float:
        """One check as a call pays it."""
        return self._best(lambda: probes.CHECK.call_on(self.root, self.frame))

    def thorough(self, keep: Callable[[Any], bool] | None = None) -> float:
        """One check with nothing skipped, of the nodes that `keep` says."""
        copy = needed(CLONE.call_on(self.root, lambda node: keep is None or node is self.root or keep(node)))
        return self._best(lambda: probes.CHECK_VERBOSE.call_on(copy, self.frame))

    def dearest_parts(self, most: int) -> list[Part]:
        """At most so many parts that do not overlap: the dearest part is divided as long as there is room."""
        nothing = self.thorough(lambda _node: False)
        parts = [self._measured(part, nothing) for part in _below(self.root, ())]
        while True:
            parts.sort(key=lambda part: -part.seconds)
            divisible = next((part for part in parts if part.below), None)
            if divisible is None or divisible.seconds < parts[0].seconds / 2:
                return parts[:most]
            room = most - len(parts)
            if len(divisible.below) > room and not (self.patience.many_globals and source_of(divisible.node) == "G"):
                return parts[:most]
            parts.remove(divisible)
            parts += [self._measured(part, nothing) for part in divisible.below]
            if len(divisible.below) > room:
                parts = sorted(parts, key=lambda part: -part.seconds)[: most // 2]

    def _measured(self, part: Part, nothing: float) -> Part:
        kept = {id(node) for node in (*part.way, *part.inside)}
        part.seconds = max(0.0, self.thorough(lambda node: id(node) in kept) - nothing)
        return part

    def _best(self, ask: Callable[[], Any]) -> float:
        """The shortest time of one question, in seconds."""
        start = time.perf_counter()
        needed(ask())
        once = max(time.perf_counter() - start, 1e-7)
        times = max(1, int(self.patience.seconds / once))
        return min(_round(ask, times) for _ in range(self.patience.rounds))


def stopwatch(manager: Any, frame: dict[str, Any], patience: Patience) -> Stopwatch:
    """For the guards of an entry. Raises Unsupported where this torch does not give their tree."""
    return Stopwatch(needed(probes.GUARD_ROOT.of(manager)), frame, patience)


def source_of(node: Any) -> Maybe[str]:
    """What a node looks at, in torch's words."""
    found = probes.NODE_SOURCE.call_on(node)
    return found if isinstance(found, Unknown) else str(found)


def guards_on(nodes: Iterable[Any]) -> Maybe[int]:
    """How many guards these nodes have."""
    listed = [probes.NODE_LEAVES.call_on(node) for node in nodes]
    return first_unknown(*listed) or sum(map(len, listed))


def nodes_of(root: Any) -> list[Any]:
    """All nodes of the tree."""
    return Part(root, (), _below(root, ())).inside


def _below(node: Any, way: tuple[Any, ...]) -> tuple[Part, ...]:
    """The tree as parts within parts: torch is asked once for each node."""
    return tuple(Part(child, way, _below(child, (*way, child))) for child in _children(node))


def _children(node: Any) -> list[Any]:
    pairs = probes.NODE_KEY_VALUES.call_on(node) if type(node).__name__ == "DictGuardManager" else {}
    items = [one for pair in (() if isinstance(pairs, Unknown) else pairs.values()) for one in pair if one is not None]
    found = probes.NODE_CHILDREN.call_on(node)
    return [*items, *(() if isinstance(found, Unknown) else found)]


def _round(ask: Callable[[], Any], times: int) -> float:
    start = time.perf_counter()
    for _ in range(times):
        ask()
    return (time.perf_counter() - start) / times
