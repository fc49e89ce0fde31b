"""The phases of a run's compiles, on a time line for each thread, each phase wholly within the one it is part of."""

from __future__ import annotations

import heapq
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from unjit.model import CompileId, CompileRun, Unknown

MICROSECOND = 1e-6  # torch's clock


@dataclass(frozen=True, slots=True)
class Span:
    """A phase. Times are whole microseconds since the capture began; `own` is what no phase within it takes."""

    name: str
    start: int
    length: int
    own: int
    depth: int
    path: str  # of the folder of its compile


@dataclass(frozen=True, slots=True)
class Lane:
    """What one thread did. Spans are in the order in which they began, outer ones first."""

    thread: str
    spans: tuple[Span, ...]


@dataclass(slots=True)
class Begun:
    """A phase when it begins, while what lies within it is still to come."""

    name: str
    start: int
    end: int
    depth: int
    path: str
    compile_id: CompileId
    within: int = 0  # microseconds of the phases directly within it


def lanes(compiles: Sequence[CompileRun]) -> tuple[Lane, ...]:
    """A lane for each thread that compiled, in the order in which they began."""
    return tuple(Lane(thread, _spans(list(found))) for thread, found in begun(compiles).items())


def begun(compiles: Sequence[CompileRun]) -> dict[str, Iterator[Begun]]:
    """For each thread its phases in the order in which they begin; a compile is read when its first phase begins."""
    threads: dict[str, list[tuple[int, int]]] = {}  # when each compile begins, and its number
    for number, one in enumerate(compiles):
        thread = "unknown thread" if isinstance(one.thread, Unknown) else str(one.thread)
        own = threads.setdefault(thread, [])
        if one.phases:
            own.append((min(_micro(phase.start) for phase in one.phases), number))
    return {thread: _nested(_in_order(sorted(own), compiles)) for thread, own in threads.items() if own}


def _spans(found: Iterable[Begun]) -> tuple[Span, ...]:
    return tuple(
        Span(one.name, one.start, one.end - one.start, one.end - one.start - one.within, one.depth, one.path)
        for one in found
    )


# When it begins, its length below zero, the numbers of compile and phase, its name, and the path and id of its compile.
_Phase = tuple[int, int, int, int, str, str, CompileId]


def _in_order(begins: Iterable[tuple[int, int]], compiles: Sequence[CompileRun]) -> Iterator[_Phase]:
    """The phases of all these compiles by their beginnings, the longest first."""
    waiting: list[_Phase] = []
    for begin, number in begins:
        while waiting and waiting[0][0] < begin:
            yield heapq.heappop(waiting)
        one = compiles[number]
        path = str(one.path)
        for at, phase in enumerate(one.phases):
            start, length = _micro(phase.start), _micro(phase.seconds)
            heapq.heappush(waiting, (start, -length, number, at, sys.intern(str(phase.name)), path, one.compile_id))
    while waiting:
        yield heapq.heappop(waiting)


def _nested(phases: Iterable[_Phase]) -> Iterator[Begun]:
    """Each phase within what is open when it begins; one that would outlast it, by rounding, ends with it."""
    stack: list[Begun] = []
    for start, below, _, _, name, path, compile_id in phases:
        end = start + max(0, -below)
        while stack and stack[-1].end <= start:
            stack.pop()
        if stack:
            end = min(end, stack[-1].end)
            stack[-1].within += end - start
        stack.append(Begun(name, start, end, len(stack), path, compile_id))
        yield stack[-1]


def _micro(seconds: float) -> int:
    return round(seconds / MICROSECOND)
