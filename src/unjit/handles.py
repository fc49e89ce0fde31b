"""Live functions and entries: the model's data with what can still be done with the objects behind it.

A handle keeps its live object by a weak reference, so that asking about a function never keeps it, its graphs or its
tensors alive.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, MethodType
from typing import TYPE_CHECKING, Any

from unjit.decompiler import Decompiled, decompile
from unjit.errors import Gone
from unjit.guard_handles import Callee, LiveGuards
from unjit.model import Entry, Function, Graph, Maybe, Name, Unknown
from unjit.observe.frames import origin
from unjit.observe.live import LiveReport
from unjit.observe.targets import resolve

if TYPE_CHECKING:
    from unjit.explaining import Explanation


@dataclass(frozen=True, slots=True)
class LiveEntry:
    """What is alive behind an entry, held weakly."""

    function: Name  # the qualified name
    code: Callable[[], CodeType | None]
    manager: Callable[[], Any]
    callee: Callee


def live_entry(live: LiveReport, function: Function, entry: Entry, targets: tuple[Any, ...]) -> LiveEntry:
    """What is alive behind an entry of a report; of `targets` the one is taken whose calls enter the function."""
    key = (function.key, entry.index)
    owner = live.functions[function.key]
    asked = next((target for target in targets if resolve(target).code is owner), None)
    callee = Callee(weakref.ref(owner), None if asked is None else _weak_target(asked))
    return LiveEntry(function.qualname, _weak(live.entries.get(key)), _weak(live.managers.get(key)), callee)


def _weak(value: Any) -> Callable[[], Any]:
    return (lambda: None) if value is None or isinstance(value, Unknown) else weakref.ref(value)


def _weak_target(target: Any) -> Callable[[], Any] | None:
    target = origin(target)
    try:
        return weakref.WeakMethod(target) if isinstance(target, MethodType) else weakref.ref(target)
    except TypeError:
        return None


class EntryHandle:
    """One cache entry. The facts are those of the moment of asking; `.data` has them all."""

    def __init__(self, data: Entry, live: LiveEntry, explanation: Explanation) -> None:
        self.data = data
        self._live = live
        self._explanation = explanation

    @property
    def index(self) -> int:
        """The order in which it is tried, from 0."""
        return self.data.index

    @property
    def compile_id(self) -> object:
        """Dynamo's number of the compile, or Unknown."""
        return self.data.compile_id

    @property
    def backend(self) -> object:
        """The backend's name, or Unknown."""
        return self.data.backend

    @property
    def hits(self) -> Maybe[int]:
        """How often it ran while `count_calls` was active, or Unknown."""
        return self.data.hits

    @property
    def guards(self) -> Maybe[LiveGuards]:
        """The conditions under which it runs: to look at, as a Python function, and to ask."""
        if isinstance(self.data.guards, Unknown):
            return self.data.guards
        title = f"Whether entry {self.index} of {self._live.function} (compile {self.compile_id}) may run"
        return LiveGuards(self.data.guards, title, self._live.manager, self._live.callee)

    @property
    def graphs(self) -> tuple[Graph, ...]:
        """The graphs that its code calls."""
        return self.data.graphs

    @property
    def code(self) -> Decompiled:
        """Its code, decompiled. Raises Gone if the code object exists no more."""
        code = self._live.code()
        if code is None:
            raise Gone(f"the code of entry {self.data.compile_id} exists no more; its source is in .data.code")
        return decompile(code)

    @property
    def resume_functions(self) -> list[FunctionHandle]:
        """The functions in which it continues."""
        return [self._explanation.function(key) for key in self.data.resume_functions]

    def __repr__(self) -> str:
        code = self.data.code
        verdict = "no code" if isinstance(code, Unknown) else code.verdict
        return f"<cache entry {self.data.compile_id}: {len(self.graphs)} graphs, {verdict}>"


class FunctionHandle:
    """One function that Dynamo looked at."""

    def __init__(self, data: Function, entries: list[EntryHandle]) -> None:
        self.data = data
        self.entries = entries

    @property
    def name(self) -> Name:
        """A valid identifier, unique within its explanation."""
        return self.data.key

    def __repr__(self) -> str:
        return f"<function {self.data.key}: {len(self.entries)} cache entries>"
