"""torch's own logs of what Dynamo makes, which TORCH_LOGS switches on."""

from __future__ import annotations

import logging
from typing import Literal

from unjit.model import known_or
from unjit.torch_private.probes import trace_probes as probes

Topic = Literal["bytecode", "guards"]


def is_logged(topic: Topic) -> bool:
    """Whether the user asked torch for this log."""
    log = _log(topic)
    return log is not None and log.isEnabledFor(logging.DEBUG)


def add_to_log(topic: Topic, text: str) -> None:
    """A record of ours, with torch's prefix on each line."""
    log = _log(topic)
    if log is not None:
        log.debug("%s", text)


def _log(topic: Topic) -> logging.Logger | None:
    log = probes.BYTECODE_LOG if topic == "bytecode" else probes.GUARDS_LOG
    return known_or(log.get(), None)
