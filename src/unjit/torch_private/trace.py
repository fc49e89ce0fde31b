"""The events of compiles as they happen: torch's structured trace, and the code that Dynamo generates."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import CodeType

from unjit.model import CompileId, Maybe, Message, Unknown
from unjit.torch_private import probes
from unjit.torch_private.entries import compile_id_of

_LOGGER = "torch.__trace"  # writes records while it has a handler; a handler may be there before torch is imported


def listen(handler: logging.Handler) -> None:
    """Give every trace record from here on to `handler`; a record has `metadata` and `payload`."""
    logging.getLogger(_LOGGER).addHandler(handler)


def stop_listening(handler: logging.Handler) -> None:
    """Undo `listen`."""
    logging.getLogger(_LOGGER).removeHandler(handler)


def why_silent(handler: logging.Handler) -> Message | None:
    """Why `handler` gets no records, if the program's configuration of logging keeps them from it."""
    logger = logging.getLogger(_LOGGER)
    if handler not in logger.handlers:
        return Message("the program took the recorder off torch's trace")
    if logger.disabled:
        return Message("the program's logging configuration disabled torch's trace (disable_existing_loggers)")
    if logger.level and not logger.isEnabledFor(logging.DEBUG):  # without a level, torch has not set it up yet
        return Message("the program raised the level of torch's trace")
    return None


def on_generated_code(hook: Callable[[CodeType, CodeType], None]) -> Maybe[Callable[[], None]]:
    """Call `hook` with each original code object and what Dynamo made of it; gives the function that ends this.

    `Unknown` until torch's compiler is imported. What `hook` raises would reach the user's compile: it must not raise.
    """
    handle = probes.BYTECODE_HOOK.call(hook)
    return handle if isinstance(handle, Unknown) else handle.remove


def current_compile() -> Maybe[CompileId]:
    """Which compile is running in this thread."""
    return compile_id_of(probes.CURRENT_COMPILE.call())
