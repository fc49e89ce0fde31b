"""Live functions and entries: the model's data with what can still be done with the objects behind it.

A handle keeps its live object by a weak reference, so that asking about a function never keeps it, its graphs or its
tensors alive.
"""

from __future__ import annotations

import weakref
from types import CodeType
from typing import TYPE_CHECKING

from unjit.decompiler import Decompiled, decompile
from unjit.errors import Gone
from unjit.model import Entry, Function, Graph, Guards, Maybe, Name, Unknown

if TYPE_CHECKING:
    from unjit.explaining import Explanation


class EntryHandle:
    """One cache entry. The facts are those of the moment of asking; `.data` has them all."""

    def __init__(self, data: Entry, code: CodeType | None, explanation: Explanation) -> None:
        self.data = data
        self._code = None if code is None else weakref.ref(code)
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
    def guards(self) -> Maybe[Guards]:
        """The conditions under which it runs."""
        return self.data.guards

    @property
    def graphs(self) -> tuple[Graph, ...]:
        """The graphs that its code calls."""
        return self.data.graphs

    @property
    def code(self) -> Decompiled:
        """Its code, decompiled. Raises Gone if the code object exists no more."""
        code = None if self._code is None else self._code()
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
