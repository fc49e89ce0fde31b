"""Whether Dynamo still looks at a function when a call enters it.

Dynamo keeps with the code of a function what it does with it, in C++ and for itself alone. It shows in what happens
where a frame begins: whether its callback is called, and, where it is not, whether the callback's backend was asked
for, which decides about the entries that may run.
"""

from __future__ import annotations

from collections.abc import Collection
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from operator import methodcaller
from types import CodeType
from typing import Any, Final, Literal

from unjit.model import Maybe, Message, Unknown, first_unknown
from unjit.torch_private.calling.begun_frames import begin_frame, is_ending, leave_alone
from unjit.torch_private.installing.asking import ASKING, is_asking
from unjit.torch_private.probes.install_probes import SET_CALLBACK, SET_REGION

Treatment = Literal["looks at it", "runs its entries alone", "runs the original"]
_BEGINS_LATER: Final = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
_NO_TRACING: Final = Unknown(Message("no tracing function is called here, and Dynamo is asked safely only with one"))
_NOT_READ: Final = Unknown(Message("Dynamo no longer looks at it; whether its entries run, this torch does not show"))


def treatment_of(code: CodeType, entries: Collection[CodeType], region: int | None = None) -> Maybe[Treatment]:
    """What Dynamo does at the next call of `code`, which has entries with these codes; nothing runs for it.

    `region` is that of the entries that the call may use, None for the one that all share.
    """
    answer = leave_alone()
    missing = first_unknown(answer, SET_CALLBACK.get(), None if region is None else SET_REGION.get())
    if missing is not None:
        return missing
    if code.co_flags & _BEGINS_LATER:
        return Unknown(Message("a generator or coroutine does nothing when it is called, and Dynamo is not asked"))
    if is_asking():
        return ASKING
    sample = _ask(_nothing.__code__.replace(), (), answer, region)
    found = _ask(code, entries, answer, region)
    if sample is None or found is None:
        return _NO_TRACING
    if found.is_called:
        return "looks at it"
    if not sample:
        return _NOT_READ
    return "runs its entries alone" if found and not found.is_called_for_ending else "runs the original"


class _Question(list[None]):
    """Stands in for Dynamo's callback; longer by one each time that it was asked for its backend.

    A list, since what notes that has to be written in C: Dynamo would look at a Python function that is called in the
    midst of its lookup.
    """

    # Under its name of now and of older versions; the backend is then None, which no entry has.
    _torchdynamo_orig_backend = _torchdynamo_orig_callable = property(methodcaller("append", None))

    def __init__(self, code: CodeType, answer: Any) -> None:
        super().__init__()
        self.code, self.answer = code, answer
        self.is_called = False
        self.is_called_for_ending = False  # as for all that the function calls, before Python 3.12

    def __call__(self, frame: Any, *_rest: Any) -> Any:
        self.is_called |= frame.f_code is self.code
        self.is_called_for_ending |= is_ending(frame.f_code)
        return self.answer


def _ask(code: CodeType, entries: Collection[CodeType], answer: Any, region: int | None) -> _Question | None:
    question = _Question(code, answer)
    return question if begin_frame(code, entries, question, region) else None


def _nothing() -> None:
    """Begins and ends: copies of its code are known to nobody, so that Dynamo looks at them."""
