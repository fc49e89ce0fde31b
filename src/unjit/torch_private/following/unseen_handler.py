"""A handler of torch's logs within which Dynamo compiles nothing.

torch writes records while Dynamo watches every new frame, too: where a compiled function calls `backward`, the backward
graph is compiled under its eyes. A handler as any other would then be looked at, function by function, and counted
among the program's.
"""

from __future__ import annotations

import logging

from unjit.torch_private.calling.calls import out_of_dynamos_sight


class UnseenHandler(logging.Handler):
    """A handler whose `emit`, and all that it calls, Dynamo does not see."""

    def handle(self, record: logging.LogRecord) -> bool:
        """Take one record. The first is taken in sight: only then is torch surely there to be asked."""
        handle = super().handle
        unseen = out_of_dynamos_sight(handle)
        if unseen is not handle:
            self.handle = unseen  # type: ignore[assignment]  # logging asks for no answer
        return handle(record)
