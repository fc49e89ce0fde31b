"""The functions that a reading reaches, each under its key, in the order in which they are to be read."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from types import CodeType

from unjit.model import Name
from unjit.observe.functions.names import identifier, original_of, unused
from unjit.observe.functions.sources import qualname
from unjit.observe.targets.resolving import Target


class Reached:
    """Functions under their keys. To ask for the key of one is to have it read, after those asked for before."""

    def __init__(self, targets: Iterable[Target]) -> None:
        self.codes: dict[Name, CodeType] = {}
        self._keys: dict[int, Name] = {}  # by the identity of code objects, which `codes` keeps alive
        self._pending: deque[CodeType] = deque()
        self._targets: dict[int, Target] = {}  # by the identity of their code, of which the first counts
        for target in targets:
            self._targets.setdefault(id(target.code), target)

    def key_of(self, code: CodeType) -> Name:
        """The key of a function; one that is met for the first time will be read."""
        if id(code) not in self._keys:
            key = unused(identifier(code, self._known_as(original_of(code))), self.codes)
            self._keys[id(code)], self.codes[key] = key, code
            self._pending.append(code)
        return self._keys[id(code)]

    def each(self) -> Iterator[CodeType]:
        """Every function once, also those that are reached while others are read."""
        while self._pending:
            yield self._pending.popleft()

    def qualname(self, code: CodeType) -> str:
        """The qualified name by which the user knows a function, where it was asked for; else its own."""
        return self._known_as(code) or qualname(code)

    def why_disabled(self, code: CodeType) -> str | None:
        """Why Dynamo is switched off for a function that was asked for; None if it is not."""
        target = self._targets.get(id(code))
        return None if target is None else target.disabled

    def _known_as(self, code: CodeType) -> str | None:
        target = self._targets.get(id(code))
        return None if target is None else target.qualname or qualname(code)
