"""What to do about a graph break: torch's first hint, but where it is about code that the reader cannot change."""

from __future__ import annotations

import re

from unjit.model import GraphBreak, Message, Unknown
from unjit.model.wording import LEFT_OUT

_OPTIMIZER = re.compile(r"\(reason: optimizer <class '(?:\w+\.)*(\w+)'> step not supported\)")
_REMOVE = re.compile(r"Remove the `?torch\.(?:_dynamo|compiler)\.")  # as a hint on a call that is there for that begins
_OF_SINGLEDISPATCH = ("dispatch", "_find_impl")  # functions of functools that look up an implementation


def advice_on(found: GraphBreak) -> Message | None:
    """One sentence; None where nothing is known that helps."""
    optimizer = _OPTIMIZER.search(found.explanation or "")
    if optimizer:
        return Message(
            f"torch compiles no step of {optimizer[1]}: call it outside of what is compiled, or take another optimizer."
        )
    if _looks_up_an_implementation(found):
        return Message(
            "Dynamo does not follow how functools.singledispatch looks up an implementation: choose by isinstance in "
            "what is compiled, or look it up before, as by function.dispatch(type(argument))."
        )
    hint = found.hints[0] if found.hints else None
    if hint == LEFT_OUT:
        return None if found.link is None else Message(f"See what torch says of breaks of this kind: {found.link}")
    if hint is not None and _REMOVE.match(hint) and _is_in_a_library(found):
        return Message(
            "A library ends the graph there on purpose, as torch does in the step of an optimizer, which is then "
            "compiled by itself: accept the break, or call the library outside of what is compiled."
        )
    return hint


def _is_in_a_library(found: GraphBreak) -> bool:
    return not isinstance(found.place, Unknown) and not found.place.is_of_the_program


def _looks_up_an_implementation(found: GraphBreak) -> bool:
    calls = () if isinstance(found.stack, Unknown) else found.stack
    return any(one.function in _OF_SINGLEDISPATCH and re.search(r"[/\\]functools\.py$", one.file) for one in calls)
