"""Where the time of compiling went: each phase without those within it, and the slowest compiles."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from unjit.model import Capture, CompileRun, Unknown
from unjit.render.times.phases import MEANING, alone

_MOST: Final = 8


@dataclass(frozen=True)
class Spent:
    """One phase, in all compiles together."""

    name: str
    says: str
    seconds: float
    share: float  # of all that was measured


@dataclass(frozen=True)
class Times:
    phases: tuple[Spent, ...]  # the longest first
    rest: float  # seconds of all others
    compiles: tuple[tuple[str, str, float], ...]  # function, compile and seconds, the longest first


def times(capture: Capture) -> Times | None:
    """The times of a capture's compiles; None where no time is known."""
    runs = capture.run.compiles if capture.run is not None else ()
    spent: defaultdict[str, float] = defaultdict(float)
    for one in runs:
        for phase, seconds in alone(one.phases):
            spent[str(phase.name)] += seconds
    total = sum(spent.values())
    if not total:
        return None
    longest = sorted(spent.items(), key=lambda one: -one[1])[:_MOST]
    phases = tuple(Spent(name, MEANING.get(name, ""), seconds, seconds / total) for name, seconds in longest)
    return Times(phases, total - sum(one.seconds for one in phases), _slowest(capture, runs))


def _slowest(capture: Capture, runs: tuple[CompileRun, ...]) -> tuple[tuple[str, str, float], ...]:
    of_path = {one.path: one for one in capture.compiles}
    known = [(of_path[one.path], one.seconds) for one in runs if one.path in of_path]
    timed = [(one, seconds) for one, seconds in known if not isinstance(seconds, Unknown)]
    timed.sort(key=lambda pair: -pair[1])
    return tuple((str(one.function), str(one.number), seconds) for one, seconds in timed[:5])
