"""The events of compiles as they happen: torch's structured trace, and the code that Dynamo generates."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from types import CellType, CodeType
from typing import Any

from unjit.model import CompileId, Maybe, Message, Unknown, known_or
from unjit.torch_private.cache.entries import compile_id_of
from unjit.torch_private.calling.frames import frame_of
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


def code_being_compiled() -> Maybe[CodeType] | None:
    """The original code object of the compile that is running in this thread; None if none is found on the stack."""
    compiler = probes.COMPILE_FRAME.get()
    return compiler if isinstance(compiler, Unknown) else _code_in(compiler)


def code_being_loaded() -> CodeType | None:
    """The original code object of what torch loads, compiled before, in this thread; None if it loads nothing.

    It counts as a compile to the trace, without an end.
    """
    loader = probes.INSTALL_FRAME.get()
    return None if isinstance(loader, Unknown) else _code_in(loader)


def callable_being_captured() -> Any:
    """What torch.export or aot_compile captures in this thread; None if neither does.

    They make no entry, and the trace has neither their beginning nor their end.
    """
    capture = probes.CAPTURE_FRAME.get()
    frame = None if isinstance(capture, Unknown) else frame_of(capture)
    return None if frame is None else _exported(frame.f_locals.get("mod"))


def _exported(given: Any) -> Any:
    """What is in the module that torch.export puts around a module; anything else itself."""
    wrapper = probes.EXPORT_WRAPPER.get()
    if isinstance(wrapper, Unknown) or type(given) is not wrapper:
        return given
    return known_or(probes.EXPORT_ROOT.of(given), given)


def _code_in(function: Any) -> CodeType | None:
    frame = frame_of(function)
    found = None if frame is None else frame.f_locals.get("code")
    return found if isinstance(found, CodeType) else None


def globals_being_compiled() -> dict[str, Any] | None:
    """The globals of that code, which need not be those of a module; None if they are not found on the stack."""
    compiler = probes.COMPILE_FRAME.get()
    frame = None if isinstance(compiler, Unknown) else frame_of(compiler)
    found = None if frame is None else frame.f_locals.get("globals")
    return found if isinstance(found, dict) else None


def locals_being_compiled() -> dict[str, Any] | None:
    """The local variables at the call that has the code compiled; None if they are not found on the stack."""
    compiler = probes.COMPILE_FRAME.get()
    frame = None if isinstance(compiler, Unknown) else frame_of(compiler)
    found = None if frame is None else frame.f_locals.get("locals")
    return found if isinstance(found, dict) else None


def closure_being_compiled() -> Maybe[dict[str, CellType]]:
    """The free variables of that code with their cells, by name."""
    compiler = probes.COMPILE_FRAME.get()
    if isinstance(compiler, Unknown):
        return compiler
    frame = frame_of(compiler)
    code, cells = (None, None) if frame is None else map(frame.f_locals.get, ("code", "closure"))
    if not isinstance(code, CodeType) or not isinstance(cells, tuple):
        return Unknown(Message("it was not found on the stack of the compile"))
    return dict(zip(code.co_freevars, cells, strict=False))


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
