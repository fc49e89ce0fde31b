"""The first answer: how much was compiled, in numbers and in one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from unjit.model import Capture, CapturedCompile, Compile, Function, Maybe, Message, Unknown
from unjit.render.captures.run import all_compiles, shown
from unjit.render.forms.outline import count
from unjit.render.functions.compiles import around
from unjit.report.sections.happenings import Happenings


@dataclass(frozen=True)
class Number:
    """One fact of the whole capture."""

    value: str
    of: str  # what is counted
    link: str | None  # where on the page it is told in full
    tone: str  # good, warn or plain


@dataclass(frozen=True)
class Line:
    """One function."""

    function: Function
    around: str  # which functions it stands around, if it is the wrapper of a decorator
    compiles: Maybe[tuple[Compile, ...]]
    graphs: int
    breaks: int
    recompiles: int
    seconds: Maybe[float]


@dataclass(frozen=True)
class Overview:
    verdict: str
    numbers: tuple[Number, ...]
    lines: tuple[Line, ...]


def overview(capture: Capture, found: Happenings) -> Overview:
    """What a reader wants to know before anything else."""
    compiles = capture.by_function()
    lines = tuple(_line(function, compiles.get(function.key, ())) for function in shown(capture.report))
    return Overview(_verdict(capture, lines, found), _numbers(capture, lines, found), lines)


def _line(function: Function, captured: Iterable[CapturedCompile]) -> Line:
    known = function.compiles if isinstance(function.compiles, tuple) else ()
    graphs = sum(len(entry.graphs) for entry in function.entries)
    made = sum(one.artifact("captured") is not None for one in captured)
    return Line(
        function=function,
        around=", ".join(around(known)),
        compiles=function.compiles,
        graphs=graphs or made,
        breaks=sum(len(one.breaks) for one in known if not isinstance(one.breaks, Unknown)),
        recompiles=sum(bool(one.failed_guards) and isinstance(one.failed_guards, tuple) for one in known),
        seconds=total_seconds(known),
    )


def total_seconds(compiles: Iterable[Compile]) -> Maybe[float]:
    """The time of these compiles together; Unknown where no time is known."""
    times = [one.seconds for one in compiles]
    known = [one for one in times if not isinstance(one, Unknown)]
    if times and not known:
        return next(one for one in times if isinstance(one, Unknown))
    return sum(known) if known else Unknown(Message("there was no compile"))


def eager(line: Line) -> bool:
    """Whether calls of a function run as plain Python although Dynamo looked at it; a compile that failed may raise."""
    state = line.function.status.state
    return state == "skipped" or (not line.function.entries and state == "recompile limit")


def _verdict(capture: Capture, lines: tuple[Line, ...], found: Happenings) -> str:
    if not capture.report.functions:
        ended = "" if capture.finished else " The program has not ended, or was ended from outside."
        return f"{'Dynamo compiled nothing' if capture.outside else 'Nothing was compiled'} here.{ended}"
    left, failed = sum(map(eager, lines)), _failed(capture)
    if not left and not failed and not found.breaks and not found.recompiles:
        sure = "Yes" if found.all_known else "Yes, as far as is known"
        return f"{sure}: {count(len(lines), 'function')}, whole, {_how_often(lines)}."
    parts = [f"{count(len(found.breaks), 'place')} where the graph breaks"] if found.breaks else []
    parts += [f"{count(len(found.recompiles), 'recompile')}"] if found.recompiles else []
    parts += [f"{count(failed, 'compile')} that failed"] if failed else []
    parts += [f"{count(left, 'function')} left to plain Python"] if left else []
    return f"Partly: {', '.join(parts[:-1])}{' and ' if parts[1:] else ''}{parts[-1]}."


def _how_often(lines: tuple[Line, ...]) -> str:
    """Without a recompile a function is compiled again for another backend, in an export, and after a reset."""
    times = [len(line.compiles) for line in lines if not isinstance(line.compiles, Unknown)]
    if len(times) < len(lines):
        return "with an unknown number of compiles"
    return "and each compiled once" if set(times) == {1} else f"in {count(sum(times), 'compile')}"


def _failed(capture: Capture) -> int:
    return sum(one.outcome == "failed" for _, one in all_compiles(capture.report))


def _numbers(capture: Capture, lines: tuple[Line, ...], found: Happenings) -> tuple[Number, ...]:
    compiles = [one for _, one in all_compiles(capture.report)]
    seconds = total_seconds(compiles)
    left, failed = sum(map(eager, lines)), _failed(capture)
    again = len(found.recompiles)
    lookups = [one for compile_ in capture.compiles for one in compile_.caches]
    hits = sum(one.result == "hit" for one in lookups)
    return (
        Number(f"{len(lines):,}", _word(len(lines), "function"), None, "plain"),
        Number(f"{len(compiles):,}", _word(len(compiles), "compile"), None, "plain"),
        Number("unknown" if isinstance(seconds, Unknown) else f"{seconds:.1f} s", "compiling", None, "plain"),
        Number(f"{len(found.breaks):,}", _word(len(found.breaks), "graph break"), "breaks", _tone(found.breaks)),
        Number(f"{again:,}", _word(again, "recompile"), "recompiles", _tone(found.recompiles)),
        *([Number(f"{failed:,}", f"{_word(failed, 'compile')} failed", None, "warn")] if failed else ()),
        Number(f"{left:,}", "left to plain Python", None, "warn" if left else "good"),
        *([Number(f"{hits:,} of {len(lookups):,}", "found in torch's caches", None, "plain")] if lookups else ()),
    )  # fmt: skip


def _word(number: int, one: str) -> str:
    return one if number == 1 else f"{one}s"


def _tone(found: tuple[object, ...]) -> str:
    return "warn" if found else "good"
