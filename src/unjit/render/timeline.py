"""The phases of a run's compiles, on a time line for each thread, each phase wholly within the one it is part of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from unjit.model import CompileRun, Phase, Run, Unknown

MICROSECOND = 1e-6  # torch's clock


@dataclass(frozen=True, slots=True)
class Span:
    """A phase. Times are whole microseconds since the capture began; `own` is what no phase within it takes."""

    name: str
    start: int
    length: int
    own: int
    depth: int
    compile: CompileRun


@dataclass(frozen=True, slots=True)
class Lane:
    """What one thread did. Spans are in the order in which they began, outer ones first."""

    thread: str
    spans: tuple[Span, ...]


def lanes(run: Run) -> tuple[Lane, ...]:
    """A lane for each thread that compiled, in the order in which they began."""
    threads: dict[str, list[tuple[Phase, CompileRun]]] = {}
    for one in run.compiles:
        thread = "unknown thread" if isinstance(one.thread, Unknown) else str(one.thread)
        threads.setdefault(thread, []).extend((phase, one) for phase in one.phases)
    return tuple(Lane(thread, tuple(_nested(found))) for thread, found in threads.items() if found)


@dataclass(slots=True)
class _Open:
    """A phase while what lies within it is still to come."""

    name: str
    start: int
    end: int
    depth: int
    compile: CompileRun
    within: int = 0  # microseconds of the phases directly within it

    def span(self) -> Span:
        length = self.end - self.start
        return Span(self.name, self.start, length, length - self.within, self.depth, self.compile)


def _nested(phases: Sequence[tuple[Phase, CompileRun]]) -> Iterator[Span]:
    """Each phase within what is open when it begins; one that would outlast it, by rounding, ends with it."""
    found: list[_Open] = []
    stack: list[_Open] = []
    for phase, compile_ in sorted(phases, key=lambda one: (_micro(one[0].start), -_micro(one[0].seconds))):
        start = _micro(phase.start)
        end = start + max(0, _micro(phase.seconds))
        while stack and stack[-1].end <= start:
            stack.pop()
        if stack:
            end = min(end, stack[-1].end)
            stack[-1].within += end - start
        stack.append(_Open(str(phase.name), start, end, len(stack), compile_))
        found.append(stack[-1])
    return (one.span() for one in found)


def _micro(seconds: float) -> int:
    return round(seconds / MICROSECOND)
