"""The error that ended the program, as Python keeps it for debuggers."""

from __future__ import annotations

import sys


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
