"""Counting how often each cache entry runs.

torch has one slot for a callback before generated code runs, which its own debugger uses too. One owner holds it while
somebody counts, passes every call on to whoever had it before, and gives it back when the last one stops.
"""

from __future__ import annotations

import threading
import weakref
from collections import Counter
from types import CodeType, TracebackType
from typing import TYPE_CHECKING

from unjit.model import Maybe, Message, Unknown
from unjit.torch_private.calling.calls import (
    CallHook,
    call_hook,
    generated_codes,
    leave_slot,
    out_of_dynamos_sight,
    set_call_hook,
)
from unjit.torch_private.probes.probe import needed

if TYPE_CHECKING:
    from typing_extensions import Self

_NOT_COUNTED = Unknown(Message("calls were not counted; use `with unjit.count_calls():` around them"))


class Tally:
    """Runs of pieces of generated code, by identity; the code itself is not kept alive."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._alive: dict[int, weakref.ref[CodeType]] = {}

    def watch(self, code: CodeType) -> None:
        """Count the runs of `code`: none so far if it is met for the first time."""
        if not self.watches(code):
            self._alive[id(code)] = weakref.ref(code)
            self._counts[id(code)] = 0

    def note(self, code: CodeType) -> None:
        """One run of `code`."""
        self.watch(code)
        self._counts[id(code)] += 1

    def watches(self, code: CodeType) -> bool:
        """Whether it is this code, and not another that lay at the same address, whose runs are known."""
        known = self._alive.get(id(code))
        return known is not None and known() is code

    def of(self, code: CodeType) -> int:
        """How often `code` ran."""
        return self._counts[id(code)] if self.watches(code) else 0

    def total(self) -> int:
        """How often any code ran."""
        return sum(self._counts.values())


class _Slot:
    """The owner of torch's slot. All counters share it, so that they do not push each other out."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counters: list[CallCounter] = []
        self._hook: CallHook | None = None
        self._previous: CallHook | None = None
        self.tally: Tally | None = None  # of all counters since counting last began

    def add(self, counter: CallCounter) -> None:
        with self._lock:
            if not self._counters:
                before = needed(call_hook())
                self._hook = self._hook or out_of_dynamos_sight(self._called)
                needed(set_call_hook(self._hook))
                self._previous = None if before is self._hook else before
                self.tally = Tally()
            self._counters = [*self._counters, counter]

    def remove(self, counter: CallCounter) -> None:
        with self._lock:
            self._counters = [other for other in self._counters if other is not counter]
            if not self._counters and self.tally is not None:
                for code in generated_codes():  # what exists and did not run has a count too; what comes later has none
                    self.tally.watch(code)
            if self._counters or call_hook() is not self._hook:
                return  # somebody else counts, or took the slot over since and calls us: then it is theirs to give back
            set_call_hook(self._previous)
            leave_slot()  # who had it before may have ended meanwhile
            self._previous = None

    def runs_of(self, code: CodeType) -> int | None:
        """The runs since counting last began; None if they were not counted."""
        if self.tally is None or not (self._counters or self.tally.watches(code)):
            return None
        return self.tally.of(code)

    def _called(self, code: CodeType) -> None:
        """Runs before each piece of generated code; whatever it raises would reach the user, so it only counts."""
        counters = self._counters
        if counters and self.tally is not None:
            self.tally.note(code)
        for counter in counters:
            counter.tally.note(code)
        if self._previous is not None:
            self._previous(code)


class CallCounter:
    """Counts the runs of cache entries while its block is active; can be read during the block and after it."""

    def __init__(self) -> None:
        self.tally = Tally()

    def __enter__(self) -> Self:
        _slot.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _slot.remove(self)

    def __repr__(self) -> str:
        return f"<unjit.count_calls: {self.tally.total()} runs of cache entries>"


_slot = _Slot()


def count_calls() -> CallCounter:
    """Count how often each cache entry runs: `with unjit.count_calls(): …`.

    `unjit.explain` shows the runs since counting last began as `hits`. Entering the block raises Unsupported on a torch
    that has no such callback (before 2.12).
    """
    return CallCounter()


def hits_of(code: CodeType) -> Maybe[int]:
    """The runs of an entry's code since counting last began; Unknown if nobody counted while it existed."""
    runs = _slot.runs_of(code)
    return _NOT_COUNTED if runs is None else runs
