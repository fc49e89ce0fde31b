"""The times of a check of live guards, as data."""

from __future__ import annotations

from typing import Final

from unjit.errors import Unsupported
from unjit.model import CheckTimes, CostPart, Expression, Maybe, Message, Unknown
from unjit.model.words.sources import as_written
from unjit.torch_private.guard_trees.answers import verbose_answer
from unjit.torch_private.guard_trees.guard_costs import Part, Patience, Stopwatch, guards_on, source_of, stopwatch
from unjit.torch_private.guard_trees.guards_in_making import guards_in_making

THOROUGH: Final = Patience(rounds=5, seconds=0.004)
_IN_PASSING: Final = Patience(rounds=3, seconds=0.0, many_globals=False)  # the user's compile waits for it
_PARTS: Final = 10


def check_times(watch: Stopwatch) -> CheckTimes:
    """What a check takes, as a whole and in its dearest parts."""
    parts = [_part(part) for part in watch.dearest_parts(_PARTS) if part.seconds > 0]
    return CheckTimes(watch.check(), watch.thorough(), tuple(parts))


def times_in_making() -> Maybe[CheckTimes]:
    """Those of the guards that the compile which is running has just made, for the call that caused it.

    Measured in passing: a few checks of each of the dearest parts.
    """
    found = guards_in_making()
    if isinstance(found, Unknown):
        return found
    manager, frame = found
    if not verbose_answer(manager, frame).holds:
        return Unknown(Message("the guards did not hold for the call that they were made for"))
    try:
        return check_times(stopwatch(manager, frame, _IN_PASSING))
    except Unsupported as error:
        return Unknown(Message(str(error)))


def _part(part: Part) -> CostPart:
    source, guards = source_of(part.node), guards_on(part.inside)
    if isinstance(source, Unknown):
        return CostPart(source, source, guards, part.seconds)
    subject = "globals" if source == "G" else as_written(source)
    return CostPart(Expression(source), Expression(subject), guards, part.seconds)
