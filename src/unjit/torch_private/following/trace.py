"""The events of compiles as they happen: torch's structured trace, and the code that Dynamo generates."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from types import CodeType

from unjit.model import CompileId, Maybe, Message, Unknown
from unjit.torch_private.cache.entries import compile_id_of
from unjit.torch_private.following.undoing import surely
from unjit.torch_private.probes import trace_probes as probes

_LOGGER = "torch.__trace"  # writes records while it has a handler; a handler may be there before torch is imported


def listen(handler: logging.Handler) -> None:
    """Give every trace record from here on to `handler`; a record has `metadata` and `payload`."""
    logging.getLogger(_LOGGER).addHandler(handler)


def stop_listening(handler: logging.Handler) -> None:
    """Undo `listen`."""
    surely(lambda: logging.getLogger(_LOGGER).removeHandler(handler))


def why_silent(handler: logging.Handler) -> Message | None:
    """Why `handler` gets no records, if the program's configuration of logging keeps them from it."""
    logger = logging.getLogger(_LOGGER)
    if handler not in logger.handlers:
        return Message("the program took the recorder off torch's trace")
    if logger.disabled:
        return Message("the program's logging configuration disabled torch's trace (disable_existing_loggers)")
    if not logger.level or logger.isEnabledFor(logging.DEBUG):  # without a level, torch has not set it up yet
        return None
    if logger.manager.disable >= logging.DEBUG:  # torch 2.13 exempts its trace, 2.11 does not
        return Message("the program switched all logs off, torch's trace with them (logging.disable)")
    return Message("the program raised the level of torch's trace")


def on_generated_code(hook: Callable[[CodeType, CodeType], CodeType | None]) -> Maybe[Callable[[], None]]:
    """Call `hook` with each original code object and what Dynamo made of it; gives the function that ends this.

    If the hook answers with code, that code takes the place of what Dynamo made. `Unknown` until torch's compiler is
    imported. What `hook` raises would reach the user's compile: it must not raise.
    """
    handle = probes.BYTECODE_HOOK.call(hook)
    if isinstance(handle, Unknown):
        return handle

    def remove() -> None:
        handle.remove()

    return lambda: surely(remove)


def current_compile() -> Maybe[CompileId] | None:
    """Which of Dynamo's compiles is running in this thread; None if none is."""
    found = probes.CURRENT_COMPILE.call()
    return None if found is None else compile_id_of(found)


def interned(number: int) -> str | None:
    """The string that torch's trace names by this number: a handler that came later has missed the table."""
    table = probes.INTERN_TABLE.get()
    if isinstance(table, Unknown):
        return None
    return next((text for text, known in list(table.items()) if known == number), None)


def cache_folder() -> str | None:
    """Where Inductor keeps what it generates; None if it cannot be told."""
    chosen = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    found = chosen or probes.CACHE_FOLDER.call()
    return None if isinstance(found, Unknown) else str(found)
