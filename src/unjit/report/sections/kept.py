"""What forward graphs keep for their backward, those that keep the most first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from unjit.model import Capture
from unjit.render.captures.kept import KeptByLine, kept_by_line, kept_bytes, kept_in_all, not_known
from unjit.render.forms.outline import listed

MOST_KEPT: Final = 5  # graphs that are shown


@dataclass(frozen=True)
class KeptByGraph:
    """What one forward graph keeps."""

    function: str
    number: int
    half: str  # the backward graph that it is for
    whole: str  # 41 tensors, 612.3 kB
    size: int  # in bytes
    lines: tuple[KeptByLine, ...]


def not_known_by_graph(capture: Capture) -> list[str]:
    """The compiles of which it is not known what they keep, with the reason: once for all that have the same."""
    found: dict[str, list[str]] = {}
    for one in capture.compiles:
        for reason in dict.fromkeys(not_known(one)):
            found.setdefault(reason, []).append(f"{one.function}/{one.number}")
    return [f"{listed(compiles)}: {reason}" for reason, compiles in found.items()]


def kept_by_graph(capture: Capture) -> list[KeptByGraph]:
    """Each forward graph that keeps something."""
    found = [
        KeptByGraph(one.function, one.number, kept.half, kept_in_all(kept), kept_bytes(kept), kept_by_line(kept))
        for one in capture.compiles
        for kept in one.kept
        if kept.memory
    ]
    return sorted(found, key=lambda one: -one.size)
