"""Dynamo's resets, which free its entries, and work of ours that needs the entries to stay.

A reset runs what finalizers there are while a function's entries are half freed and can still be found: a thread that
looks at them just then reads freed memory. A reset holds the lock under which Dynamo also compiles.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, Final

from unjit.model import Message, Unknown
from unjit.torch_private.calling.frames import outward
from unjit.torch_private.probes.cache_probes import COMPILE_LOCK, FREE_ENTRIES

_FREEING: Final = ("torch._dynamo", "unjit.torch_private.installing.removal")  # the modules whose reset…() free entries
_PATIENCE: Final = 10.0  # seconds that a reset by another thread is waited for
_RESETTING: Final = Unknown(Message("Dynamo is being reset"))
_beside_compile = threading.RLock()  # held while entries are used without Dynamo's lock


@contextlib.contextmanager
def entries_stay() -> Iterator[Unknown | None]:
    """Within the block no thread frees entries; Unknown, and they must not be touched, if one is at it.

    A compile by another thread can take minutes and adds entries without freeing any: it is not waited for. Resets
    that begin meanwhile wait for the block, so it has to be short.
    """
    deadline = time.monotonic() + _PATIENCE
    while True:
        with contextlib.ExitStack() as stack:
            if _is_held_off(stack):
                yield _RESETTING if _resets(sys._getframe()) else None
                return
        if time.monotonic() > deadline:
            yield _RESETTING
            return
        time.sleep(0.001)


@contextlib.contextmanager
def no_compile() -> Iterator[None]:
    """Within the block no other thread compiles or resets: waits for those that do, as a reset does."""
    with contextlib.ExitStack() as stack:
        _acquired(stack, timeout=-1)
        yield


def _is_held_off(stack: contextlib.ExitStack) -> bool:
    """Whether no other thread can reset Dynamo, until the stack is left."""
    if _acquired(stack, timeout=0):
        return True
    stack.enter_context(_new_resets_wait())
    return not any(map(_resets, sys._current_frames().values()))


def _acquired(stack: contextlib.ExitStack, timeout: float) -> bool:
    """Whether Dynamo's lock could be had, until the stack is left. In seconds; -1 is as long as it takes."""
    lock: Any = COMPILE_LOCK.get()
    if isinstance(lock, Unknown) or not lock.acquire(timeout=timeout):
        return False
    stack.callback(lock.release)
    return True


@contextlib.contextmanager
def _new_resets_wait() -> Iterator[None]:
    """A reset that begins within the block frees nothing before its end."""
    with _beside_compile:
        frees = FREE_ENTRIES.get()
        if isinstance(frees, Unknown):
            yield
            return
        module, name, waits = sys.modules["torch._dynamo"], FREE_ENTRIES.attribute, functools.partial(_alone, frees)
        setattr(module, name, waits)
        try:
            yield
        finally:
            if FREE_ENTRIES.get() is waits:
                setattr(module, name, frees)


def _alone(frees: Callable[[Any], Any], code: Any) -> Any:
    with _beside_compile:
        return frees(code)


def _resets(frame: FrameType | None) -> bool:
    return any(
        one.f_code.co_name.startswith("reset") and one.f_globals.get("__name__") in _FREEING for one in outward(frame)
    )
