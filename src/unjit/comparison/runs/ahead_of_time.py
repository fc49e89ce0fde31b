"""What `aot_compile` made of a function, beside eager: it is there already, and runs as it is.

All that can be compared is what the call gives and changes: torch keeps no captured graph to hold its graph against.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from unjit.comparison.restoring.randomness import drew_alike
from unjit.comparison.runs.outcome import Outcome, told_error
from unjit.comparison.runs.program import Program
from unjit.comparison.values.differences import Reference, parted_beyond_rounding
from unjit.errors import NoRoom
from unjit.model import BackendTrial, Maybe, Message, Term, Unknown
from unjit.torch_private.calling.compiled_calls import Ahead

_NO_GRAPH: Final = Unknown(Message("torch keeps no captured graph of what aot_compile made"))
_GUARDS_FAILED: Final = "GuardManager check failed"  # torch's words, which a page of others follows
_REFUSED: Final = Message("its guards do not hold for this call, and it compiles nothing: unjit.why says which")
_OTHER_NUMBERS: Final = Message("it draws other random numbers than eager, and was not compiled for this comparison")


def trial_of_ahead(
    program: Program, ahead: Ahead, eager: Outcome, reference: Reference, narrowest: str | None
) -> BackendTrial:
    """Run what was made ahead of time, and compare it with eager.

    The backends are compiled to draw the random numbers that eager draws, which this was not: a difference says nothing
    where it has drawn others. `narrowest` is the type that the program's graphs compute in, as the backends had them.
    """
    trial = BackendTrial(_name(ahead.backend), "same", (), None, 1, None, made="ahead of time")
    try:
        found = program.run(ahead.run)
    except NoRoom as error:
        return replace(trial, outcome="unknown", error=Message(str(error)))
    if found.error is not None and eager.error is None:
        return replace(trial, outcome="failed", error=_error(found))
    told = tuple(parted_beyond_rounding(eager, found, reference, narrowest))
    if told and not drew_alike(program.state.random, eager.random, found.random):
        return replace(trial, outcome="unknown", error=_OTHER_NUMBERS)
    return replace(trial, outcome="differs", differences=told, first_graph=_NO_GRAPH) if told else trial


def _name(backend: Maybe[Term]) -> Term:
    return Term("made ahead of time" if isinstance(backend, Unknown) else f"{backend} (made ahead of time)")


def _error(found: Outcome) -> Message | None:
    told = told_error(found)
    return _REFUSED if told is not None and _GUARDS_FAILED in told else told
