"""Whether Dynamo still looks at a function when a call enters it.

Dynamo keeps with the code of a function what it does with it, in C++ and for itself alone. It shows in what happens
where a frame begins: its callback is called, or is called for the tracing function that ends the frame alone, or for
nothing, as the function, and all that it calls, may only run what is compiled.
"""

from __future__ import annotations

from collections.abc import Collection
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from types import CodeType
from typing import Any, Final, Literal

from unjit.model import Maybe, Message, Unknown
from unjit.torch_private.calling.begun_frames import begin_frame, is_ending, leave_alone, no_entry_fits
from unjit.torch_private.installing.asking import is_asking
from unjit.torch_private.probes.install_probes import SET_CALLBACK, SET_REGION

Attention = Literal["looks at it", "runs its entries alone", "runs the original"]
_BEGINS_LATER: Final = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
_NO_TRACING: Final = Unknown(Message("no tracing function is called here, and Dynamo is asked safely only with one"))


def attention_to(code: CodeType, entries: Collection[CodeType], region: int | None = None) -> Maybe[Attention]:
    """What Dynamo does at the next call of `code`, which has entries with these codes; nothing runs for it.

    `region` is that of the entries that the call may use, None for the one that all share.
    """
    answer, others = leave_alone(), (SET_CALLBACK.get(), None if region is None else SET_REGION.get())
    for missing in (answer, *others):
        if isinstance(missing, Unknown):
            return missing
    if code.co_flags & _BEGINS_LATER:
        return Unknown(Message("a generator or coroutine does nothing when it is called, and Dynamo is not asked"))
    if is_asking():
        return Unknown(Message("a condition of an entry is being asked, and Dynamo is looking through its entries"))
    question = _Question(code, answer)
    with no_entry_fits():
        began = begin_frame(code, entries, question, region)
    if not began:
        return _NO_TRACING
    return question.found


class _Question:
    """Stands in for Dynamo's callback, and notes for which frames it is called."""

    def __init__(self, code: CodeType, answer: Any) -> None:
        self.code, self.answer = code, answer
        self.found: Attention = "runs its entries alone"

    def __call__(self, frame: Any, *_rest: Any) -> Any:
        if frame.f_code is self.code:
            self.found = "looks at it"
        elif is_ending(frame.f_code) and self.found != "looks at it":
            self.found = "runs the original"
        return self.answer
