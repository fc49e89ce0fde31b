"""The calls in which compiles began, as one tree: what they have in common once, and where they part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, TypeAlias, Union

from unjit.model import Capture, CapturedCompile, Compile, StackFrame, Term, Unknown
from unjit.render.forms.outline import count, fact
from unjit.render.forms.places import where

TORCH: Final = "within torch"
OUTSIDE: Final = "outside of the program"
_LONG: Final = 3  # calls


@dataclass(frozen=True)
class Folded:
    """Consecutive calls that say little."""

    frames: tuple[StackFrame, ...]
    whose: str

    @property
    def title(self) -> str:
        return f"{count(len(self.frames), 'call')} {self.whose}"


@dataclass(frozen=True)
class Branch:
    """Calls, each made by the one before, and what began in the last of them, in the order of time."""

    calls: tuple[_Call, ...]
    began: tuple[Began, ...]

    @property
    def compiles(self) -> tuple[CapturedCompile, ...]:
        """All compiles below."""
        parts = ((one,) if isinstance(one, CapturedCompile) else one.compiles for one in self.began)
        return tuple(compile_ for part in parts for compile_ in part)


Began: TypeAlias = Union[CapturedCompile, Branch]  # noqa: UP007  (Branch refers to itself)
_Call: TypeAlias = Union[StackFrame, Folded]  # noqa: UP007
_Stacks: TypeAlias = "Sequence[tuple[tuple[_Call, ...], CapturedCompile]]"


def call_tree(capture: Capture) -> tuple[Began, ...]:
    """The tree of all compiles whose calls are known; one without callers stands at the top."""
    known = [(one.stack, one) for one in in_time(capture) if not isinstance(one.stack, Unknown)]
    shared = _common(known, 0) if known else 0
    return tuple(_grown([(tuple(_folded(stack, shared)), one) for stack, one in known], 0))


def in_time(capture: Capture) -> list[CapturedCompile]:
    """The compiles in the order in which they began, as far as it is known."""
    order = {one.path: at for at, one in enumerate(capture.run.compiles if capture.run is not None else ())}
    return sorted(capture.compiles, key=lambda one: order.get(one.path, len(order)))


def _folded(stack: tuple[StackFrame, ...], shared: int) -> Iterator[_Call]:
    """The calls without those that say little: torch's, and long ways through other people's code to the program.

    The latter only among the first `shared` calls, which all compiles have: further in, compiles begin on such ways.
    """
    last = max((at for at, frame in enumerate(stack[:shared]) if _whose(frame) is None), default=-1)
    for whose, numbered in groupby(enumerate(stack), key=lambda pair: _whose(pair[1])):
        run = tuple(numbered)
        frames = tuple(frame for _, frame in run)
        if whose == TORCH or (whose == OUTSIDE and len(run) >= _LONG and run[0][0] < last):
            yield Folded(frames, whose)
        else:
            yield from frames


def _whose(frame: StackFrame) -> str | None:
    """None for a line of the program itself."""
    return TORCH if frame.of_torch else None if frame.place.is_of_the_program else OUTSIDE


def _grown(stacks: _Stacks, depth: int) -> Iterator[Began]:
    """What begins below this many calls that all have in common."""
    by_call: dict[_Call | Term, list[tuple[tuple[_Call, ...], CapturedCompile]]] = {}
    for stack, compile_ in stacks:
        by_call.setdefault(compile_.path if len(stack) == depth else stack[depth], []).append((stack, compile_))
    for same in by_call.values():
        stack, compile_ = same[0]
        end = _common(same, depth)
        yield compile_ if end == depth else Branch(stack[depth:end], tuple(_grown(same, end)))


def _common(stacks: Sequence[tuple[tuple[_Call, ...], object]], depth: int) -> int:
    """How many calls all of these have in common, which is `depth` at least."""
    first = stacks[0][0]
    parts = (at for at in range(depth, len(first)) if any(stack[at : at + 1] != (first[at],) for stack, _ in stacks))
    return next(parts, len(first))


def call_tree_text(capture: Capture) -> str:
    """The tree with one call or compile on a line."""
    return "\n".join(_lines(call_tree(capture), "")) or "No calls are known."


def _lines(began: tuple[Began, ...], indent: str) -> Iterator[str]:
    for one in began:
        if isinstance(one, CapturedCompile):
            yield f"{indent}→ {one.function}, compile {one.number}: {', '.join(outcome(one.compile))}"
            continue
        yield from (f"{indent}{call_text(call)}" for call in one.calls)
        yield from _lines(one.began, f"{indent}  ")


def call_text(call: _Call) -> str:
    """One call, or calls that are folded."""
    return f"({call.title})" if isinstance(call, Folded) else where(call.place)


def outcome(found: Compile) -> tuple[str, ...]:
    """How a compile ended, and what else there is to it: `compiled`, `1 graph break`, `compiled again`."""
    breaks = 0 if isinstance(found.breaks, Unknown) else len(found.breaks)
    again = bool(found.failed_guards) and not isinstance(found.failed_guards, Unknown)
    return (
        fact(found.outcome),
        *((count(breaks, "graph break"),) if breaks else ()),
        *(("again, as no entry fitted",) if again else ()),
    )
