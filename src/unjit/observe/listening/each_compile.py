"""Being told of each compile, while a block lasts."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import CodeType

from unjit.errors import Unsupported
from unjit.model import Unknown, known_or
from unjit.torch_private.following import trace
from unjit.torch_private.following.unseen_handler import UnseenHandler

Generated = Callable[[CodeType, CodeType], CodeType | None]


class Listening(UnseenHandler):
    """Calls `generated` with each function's code and what Dynamo made of it, and `finished` after each compile.

    `started` comes when Dynamo begins to look at a function.
    `finished` comes before what was compiled runs, for a backward, too. What either raises goes to `failed`: nothing
    reaches the user's compile.
    """

    def __init__(
        self,
        generated: Generated,
        finished: Callable[[], None],
        failed: Callable[[Exception], None],
        started: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(logging.DEBUG)
        self._started = started
        self._generated, self._finished, self._failed = generated, finished, failed
        self._unhook: Callable[[], None] | None = None
        self._refused = False  # by a torch that has no such hook

    def begin(self) -> None:
        """Listen from here on. torch need not be imported."""
        trace.listen(self)
        self._hook()

    def end(self) -> None:
        """Undo `begin`."""
        unhook, self._unhook = self._unhook, None
        try:
            trace.stop_listening(self)
        finally:
            if unhook is not None:
                unhook()

    def emit(self, record: logging.LogRecord) -> None:
        """Take one record of torch's trace."""
        try:
            kind = next(iter(record.metadata))  # type: ignore[attr-defined]  # torch's records have it
            if kind == "dynamo_start":
                self._hook(needed=True)
                self._started()
            elif kind.endswith("compilation_metrics"):
                self._finished()
        except Exception as error:
            self._failed(error)

    def _hook(self, *, needed: bool = False) -> None:
        """Ask for generated code; it is a failure where that cannot be had though torch is there and compiles."""
        if self._unhook is None and not self._refused:
            hooked = trace.on_generated_code(self._on_generated)
            self._unhook = known_or(hooked, None)
            if needed and isinstance(hooked, Unknown):
                self._refused = True  # told once
                self._failed(Unsupported(f"generated code is not seen: {hooked.reason}"))

    def _on_generated(self, original: CodeType, generated: CodeType) -> CodeType | None:
        try:
            return self._generated(original, generated)
        except Exception as error:
            self._failed(error)
            return None
