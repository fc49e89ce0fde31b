"""Counting how often each cache entry runs.

torch has one slot for a callback before generated code runs, which its own debugger uses too. All counters are told of
runs through one hook, which is there while somebody counts.
"""

from __future__ import annotations

import threading
import weakref
from collections import Counter
from collections.abc import Callable
from types import CodeType, TracebackType
from typing import TYPE_CHECKING

from unjit.model import Maybe, Message, Unknown
from unjit.torch_private.cache.ahead_of_time import codes_ahead
from unjit.torch_private.calling.calls import generated_codes
from unjit.torch_private.calling.calls_ahead import before_any_runs
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


class _Counting:
    """What torch's slot tells, for all counters."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counters: list[CallCounter] = []
        self._end: Callable[[], None] | None = None
        self.tally: Tally | None = None  # of all counters since counting last began

    def add(self, counter: CallCounter) -> None:
        with self._lock:
            if self._end is None:
                self._end = needed(before_any_runs(self._called))
                self.tally = Tally()
            self._counters = [*self._counters, counter]

    def remove(self, counter: CallCounter) -> None:
        with self._lock:
            self._counters = [other for other in self._counters if other is not counter]
            if self._counters or self._end is None or self.tally is None:
                return
            # What exists and did not run has a count too; what comes later has none.
            for code in (*generated_codes(), *codes_ahead()):
                self.tally.watch(code)
            self._end()
            self._end = None

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


class CallCounter:
    """Counts the runs of cache entries while its block is active; can be read during the block and after it."""

    def __init__(self) -> None:
        self.tally = Tally()

    def __enter__(self) -> Self:
        _counting.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _counting.remove(self)

    def __repr__(self) -> str:
        total = self.tally.total()
        return f"<unjit.count_calls: {total} {'run' if total == 1 else 'runs'} of cache entries>"


_counting = _Counting()


def count_calls() -> CallCounter:
    """Count how often each cache entry runs: `with unjit.count_calls(): …`.

    `unjit.explain` shows the runs since counting last began as `hits`. Entering the block raises Unsupported on a torch
    that has no such callback (before 2.12).
    """
    return CallCounter()


def hits_of(code: CodeType) -> Maybe[int]:
    """The runs of an entry's code since counting last began; Unknown if nobody counted while it existed."""
    runs = _counting.runs_of(code)
    return _NOT_COUNTED if runs is None else runs
