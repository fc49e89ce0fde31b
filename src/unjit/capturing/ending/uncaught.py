"""The error that ended the program, as Python keeps it for debuggers."""

from __future__ import annotations

import sys


def uncaught() -> BaseException | None:
    """At the exit: what nobody caught; None in a session at a prompt, where it may be of any earlier line."""
    error = getattr(sys, "last_value", None)
    return error if isinstance(error, BaseException) and not hasattr(sys, "ps1") else None
