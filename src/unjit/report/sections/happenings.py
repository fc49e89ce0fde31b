"""What broke and what was compiled again: each once, with a place on the page."""

from __future__ import annotations

from dataclasses import dataclass

from unjit.findings.advice_on_breaks import advice_on
from unjit.model import Compile, FailedGuard, Function, GraphBreak, Message, Place, Report, Unknown, known_or
from unjit.render.captures.happened import Alike, alike, came_to
from unjit.render.captures.run import all_compiles, breaks_met
from unjit.render.functions.compiles import without_callers


@dataclass(frozen=True)
class Broke:
    """A graph break, with the compiles that met it."""

    id: str
    found: GraphBreak
    compiles: tuple[tuple[Function, Compile], ...]

    @property
    def advice(self) -> Message | None:
        """What to do, if torch's own hints do not say so."""
        advice = advice_on(self.found)
        return None if advice in self.found.hints else advice

    @property
    def callers(self) -> tuple[Place, ...]:
        """Of a break in a library, the lines of the program that led there."""
        met = (one for _, compile_ in self.compiles for one in known_or(compile_.breaks, ()))
        same = (one.caller for one in met if without_callers(one) == self.found)
        return tuple(dict.fromkeys(caller for caller in same if caller is not None))

    @property
    def given_up(self) -> tuple[tuple[Function, Compile], ...]:
        """The compiles that this break ended for good: the function ran as plain Python, with no graph."""
        return tuple((function, one) for function, one in self.compiles if one.outcome == "skipped")


@dataclass(frozen=True)
class Again:
    """A compile that happened because no entry did fit."""

    id: str
    function: Function
    compile: Compile
    failed: tuple[FailedGuard, ...]

    @property
    def came_to(self) -> str:
        """What became of it, where it made no entry; else nothing."""
        return ", ".join(came_to(self.compile))

    @property
    def told(self) -> tuple[Alike, ...]:
        """The guards that failed, with those that say the same put together."""
        return tuple(alike(self.failed))


@dataclass(frozen=True)
class Happenings:
    """All of a capture, in the order in which functions are listed."""

    breaks: tuple[Broke, ...]
    recompiles: tuple[Again, ...]
    compiles: int
    unknown_breaks: int  # compiles of which it is not known where they broke
    unknown_recompiles: int  # and those of which it is not known whether there were entries that did not fit

    @property
    def without_line(self) -> tuple[str, ...]:
        """Why guards that did not hold have no line of the program, each reason once: most have the same."""
        causes = (guard.cause for again in self.recompiles for guard in again.failed)
        return tuple(dict.fromkeys(str(cause.reason) for cause in causes if isinstance(cause, Unknown)))

    @property
    def all_known(self) -> bool:
        """Whether this is everything that happened."""
        return not self.unknown_breaks and not self.unknown_recompiles


def happenings(report: Report) -> Happenings:
    """Every break and recompile that is known of."""
    met = enumerate(breaks_met(report).items())
    compiles = list(all_compiles(report))
    again = [(function, one) for function, one in compiles if one.failed_guards]
    return Happenings(
        tuple(Broke(f"break-{at}", found, tuple(compiles)) for at, (found, compiles) in met),
        tuple(
            Again(f"recompile-{at}", function, one, one.failed_guards)
            for at, (function, one) in enumerate(again)
            if isinstance(one.failed_guards, tuple)
        ),
        compiles=len(compiles),
        unknown_breaks=sum(isinstance(one.breaks, Unknown) for _, one in compiles),
        unknown_recompiles=sum(isinstance(one.failed_guards, Unknown) for _, one in compiles),
    )
