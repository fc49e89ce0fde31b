"""The error that ended the program, as Python keeps it for debuggers."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator


def uncaught() -> BaseException | None:
    """At the exit: what came through all of the program and nobody caught.

    None in a session at a prompt, where it may be of any earlier line. Test runners leave there what a test raised, and
    callbacks in C what they raised: neither came through the outermost frame.
    """
    error = getattr(sys, "last_value", None)
    trace = getattr(error, "__traceback__", None)
    if not isinstance(error, BaseException) or trace is None or hasattr(sys, "ps1"):
        return None
    return error if trace.tb_frame.f_back is None else None


@contextlib.contextmanager
def interrupt_kept() -> Iterator[None]:
    """Work at the exit, after which Python still ends the process by SIGINT where an interrupt ended the program.

    It has a flag for that which each `exec` of a text sets anew, such as those with which dataclasses are made.
    """
    interrupted = type(uncaught()) is KeyboardInterrupt
    try:
        yield
    finally:
        if interrupted:
            _note_interrupt()


def _note_interrupt() -> None:
    try:
        exec("raise KeyboardInterrupt")  # noqa: S102 (a constant)
    except KeyboardInterrupt:
        return
