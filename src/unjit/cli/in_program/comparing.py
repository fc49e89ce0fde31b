"""The program's side of `unjit compare`: each answer goes through a pipe to the command as soon as it is known."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from unjit.comparison.runs.calls import CallComparer
from unjit.model import CallComparison, Unknown
from unjit.model.plain.serialise import to_plain
from unjit.model.words.wording import in_words
from unjit.torch_private.calling.awaiting import Listening, await_calls


class Comparing:
    """Compares the calls of compiled functions until the program ends."""

    def __init__(self, backends: Sequence[str], calls: int, pipe: int) -> None:
        self._comparer = CallComparer(backends, calls, lambda call: self._send({"call": to_plain(call)}))
        self._pipe = pipe
        self._problems: list[str] = []

    def begin(self) -> None:
        """Compare calls from the moment at which torch's compiler has been imported."""
        os.set_inheritable(self._pipe, False)
        await_calls(self._listen)

    def finish(self, problems: Sequence[str]) -> None:
        """Send what is known at the end; a forked child does not, as the program itself does."""
        if os.getpid() == self._comparer.process:
            self._send({"uncompared": self._comparer.uncompared, "problems": [*problems, *self._problems]})

    def _listen(self, listen: Listening) -> None:
        try:
            end = listen(self._comparer, self._failed)
            if isinstance(end, Unknown):
                self._problems.append(str(end.reason))
        except Exception as error:
            self._failed(error)

    def _failed(self, error: Exception) -> None:
        """Note why a call was not compared, once: the next call may fail for the same reason."""
        told = f"a call was not seen: {in_words(error)}"
        if told not in self._problems:
            self._problems.append(told)

    def _send(self, message: dict[str, Any]) -> None:
        """Write a line; a command that is gone cannot be told anything."""
        rest = memoryview((json.dumps(message) + "\n").encode())
        try:
            while rest:
                rest = rest[os.write(self._pipe, rest) :]
        except OSError:
            return


def read_call(data: Any) -> CallComparison:
    """A compared call, from what `Comparing` sent of it."""
    from unjit.model.plain.serialise import from_plain

    found: CallComparison = from_plain(CallComparison, data)
    return found
