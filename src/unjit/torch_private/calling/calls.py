"""The one slot through which Dynamo tells that a cache entry is about to run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any, TypeVar

from unjit.model import Maybe, Unknown
from unjit.torch_private.probes import call_probes as probes
from unjit.torch_private.probes.history_probes import SEEN_REFERENCES
from unjit.torch_private.probes.install_probes import SET_CALLBACK

CallHook = Callable[[CodeType], None]
Told = TypeVar("Told")
_OURS = "unjit_hooks"  # on what we put into the slot: its hooks, none when they have ended, and who had the slot before
_changes = threading.RLock()  # held while the slot is read and filled anew
_untold: set[tuple[int, int]] = set()  # threads, and by its identity the code of whose runs they tell nobody


def call_hook() -> Maybe[CallHook | None]:
    """Who has the slot; None if nobody has."""
    found: Maybe[CallHook | None] = probes.GET_CALL_HOOK.call()
    return found


def set_call_hook(hook: CallHook | None) -> Unknown | None:
    """Put `hook` into the slot; Unknown if this torch has none."""
    answer = probes.SET_CALL_HOOK.call(hook)
    return answer if isinstance(answer, Unknown) else None


def out_of_dynamos_sight(hook: Callable[[Told], Any]) -> Callable[[Told], Any]:
    """The same hook, which Dynamo does not compile; the hook itself where torch is not there, or cannot do that.

    The slot is called while Dynamo watches every new frame: without this it compiles the hook, counts it among the
    program's functions and gives the next of those another number.
    """
    switch, skip = SET_CALLBACK.get(), probes.SKIP.get()
    if isinstance(switch, Unknown) or isinstance(skip, Unknown):
        return hook

    def unseen(told: Told) -> None:
        watching = switch(None)
        try:
            hook(told)
        finally:
            switch(watching)

    # A reset of Dynamo forgets what it was told to skip, and never that it skips the functions of its own files.
    home = getattr(skip, "__code__", None)  # torch 2.6 has it in C
    if home is not None:
        unseen.__code__ = unseen.__code__.replace(co_filename=home.co_filename)
    skip(unseen.__code__)
    return unseen


def before_runs(hook: CallHook) -> Maybe[Callable[[], None]]:
    """Call `hook` with generated code each time before it runs, besides whoever has the slot; gives what ends this.

    What `hook` raises would reach the user's call: it must not raise. Each that begins stands before those that were
    there, and never after: two that passed calls on to each other would do so without end.
    """
    with _changes:
        before = call_hook()
        if isinstance(before, Unknown):
            return before
        active = [hook]

        @out_of_dynamos_sight
        def both(code: CodeType) -> None:
            if _untold and (threading.get_ident(), id(code)) in _untold:
                return
            for ours in active:
                ours(code)
            if before is not None:
                before(code)

        def end() -> None:
            active.clear()
            _leave_slot()

        setattr(both, _OURS, (active, before))
        return set_call_hook(both) or end


def _leave_slot() -> None:
    """Empty the slot of hooks that have ended; a slot that somebody else has taken over stays as it is."""
    with _changes:
        while (ours := getattr(call_hook(), _OURS, None)) is not None and not ours[0]:
            set_call_hook(ours[1])


@contextmanager
def nobody_is_told(code: CodeType) -> Iterator[None]:
    """Within the block no run of `code` in this thread is told of: to a begun frame it is none."""
    run = threading.get_ident(), id(code)
    _untold.add(run)
    end = before_runs(_nothing) if call_hook() is not None else None  # who has the slot may be none of ours
    try:
        yield
    finally:
        if callable(end):
            end()
        _untold.discard(run)


def _nothing(_code: CodeType) -> None:
    """A hook that does nothing: with it the slot has a function of ours, which can leave somebody out."""


def is_generated(code: CodeType) -> bool:
    """Whether Dynamo generated this code; False where this torch does not tell."""
    tracker = probes.GENERATED_CODES.get()
    return not isinstance(tracker, Unknown) and code in tracker


def generated_codes() -> list[CodeType]:
    """All code that Dynamo generated and that is alive; none where this torch does not tell."""
    tracker = probes.GENERATED_CODES.get()
    references = tracker if isinstance(tracker, Unknown) else SEEN_REFERENCES.of(tracker)
    found = [] if isinstance(references, Unknown) else [reference() for reference in list(references)]
    return [code for code in found if isinstance(code, CodeType)]
