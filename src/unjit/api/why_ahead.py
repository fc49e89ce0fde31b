"""What a call of something that aot_compile returned would do: nothing is compiled then, whatever the guards say."""

from __future__ import annotations

from typing import Any, Final

from unjit.api.asked_entries import asked_about
from unjit.guards.advice import advice_for
from unjit.guards.distance import distance
from unjit.model import CallAnswer, CallOutcome, Message, Name
from unjit.observe.functions.sources import first_place
from unjit.observe.targets.frames import as_passed, frame_of, gathering
from unjit.observe.targets.resolving import resolve, users_name
from unjit.torch_private.cache.ahead_of_time import asks_guards, entries_of_ahead

_RUNS: Final = "It was compiled ahead of time, and its guards hold: the call runs it."
_RAISES: Final = "It was compiled ahead of time, and its guards do not hold: the call raises RuntimeError."
_UNASKED: Final = "It was compiled ahead of time, and the program had it ask no guards: the call runs it all the same."
_ANEW: Final = "Or compile it ahead of time for such a call, too: nothing is compiled when it is called."


def answer_ahead(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> CallAnswer:
    """The answer of `unjit.why`. Raises BadCall if the arguments do not fit."""
    resolved = resolve(function)
    entered, frame = frame_of(function, args, kwargs)
    asked = [asked_about(index, raw, entered, frame) for index, raw in enumerate(entries_of_ahead(function))]
    fitting = next((answer.index for answer, _ in asked if answer.fits is True), None)
    first = fitting if fitting is not None or asks_guards(function) else 0
    outcome: CallOutcome = "raises" if first is None else "runs an entry"
    nearest = min((findings for _, findings in asked if findings), key=distance, default=[])
    advice = [] if first is not None else [*advice_for(nearest, nearest, gathering(entered.__code__)), _ANEW]
    return CallAnswer(
        function=Name(users_name(resolved)),
        place=first_place(entered.__code__),
        outcome=outcome,
        entry=first,
        detail=Message(_RAISES if first is None else _UNASKED if fitting is None else _RUNS),
        entries=tuple(answer for answer, _ in asked),
        advice=tuple(Message(as_passed(entered.__code__, one)) for one in advice),
        not_known=(),
    )
